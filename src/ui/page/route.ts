import { useEffect, useState } from 'preact/hooks';

export const TABS = ['steps', 'timeline', 'guidance', 'details'] as const;
export type Tab = (typeof TABS)[number];

export const OVERVIEW_HREF = '#/';

/** `project` is its key. */
export function runHref(project: string, id: string, tab: Tab = 'steps'): string {
  return `#/${project}/${encodeURIComponent(id)}${tab === 'steps' ? '' : `/${tab}`}`;
}

/** The part of the address after `#` decides what the page shows, so that back and forward work. `id` is null for the list. */
export function useRoute(): { project: string; id: string | null; tab: Tab } {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = (): void => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  const [project = '', id = '', tab] = hash.replace(/^#\/?/, '').split('/');
  return {
    project,
    // An address that was cut by hand does not break it: no run has such an id, which the page then says.
    id: id !== '' ? new URLSearchParams(`id=${id}`).get('id') : null,
    tab: TABS.find((known) => known === tab) ?? 'steps',
  };
}
