export const TABS = ['steps', 'timeline', 'guidance', 'details'] as const;
export type Tab = (typeof TABS)[number];

export type PageRoute = { view: 'overview' } | { view: 'run'; id: string; tab: Tab };

/** The part of the address after `#` decides what the page shows, so that back and forward work. */
export function parseHash(hash: string): PageRoute {
  const [first, id, tab] = hash.replace(/^#\/?/, '').split('/');
  if (first !== 'runs' || id === undefined || id === '') return { view: 'overview' };
  return { view: 'run', id: decoded(id), tab: TABS.find((known) => known === tab) ?? 'steps' };
}

export function runHref(id: string, tab: Tab = 'steps'): string {
  return `#/runs/${encodeURIComponent(id)}${tab === 'steps' ? '' : `/${tab}`}`;
}

export const OVERVIEW_HREF = '#/';

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An address that was typed or cut by hand: no run has such an id, which the page then says.
    return text;
  }
}
