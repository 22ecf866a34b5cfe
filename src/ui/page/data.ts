import { useEffect, useState } from 'preact/hooks';
import type { Refused } from '../answers.ts';
import type { Overview, RunPage } from '../views.ts';

/** What the page shows, or why it does not; without a server what was shown last stays. */
type Live = {
  connection: 'connecting' | 'live' | 'lost';
  data: Overview | RunPage | null;
  error: Refused['error'] | null;
};

/** A browser opens six connections to a server: a hidden page closes its stream, so that it takes none from the others. */
export function useLive(query: string): Live {
  const [live, setLive] = useState<Live & { query: string }>({
    query,
    connection: 'connecting',
    data: null,
    error: null,
  });
  useEffect(() => {
    let source: EventSource | null = null;
    const show = ({ data: text }: MessageEvent<string>): void => {
      const data = JSON.parse(text);
      const shown =
        'error' in data
          ? { data: null, error: data.error }
          : { data, error: null };
      setLive({ query, connection: 'live', ...shown });
    };
    const lost = (): void =>
      setLive((last) => ({ ...last, connection: 'lost' }));
    const close = (): void => {
      source?.close();
      source = null;
    };
    const follow = (): void => {
      if (document.hidden) close();
      if (document.hidden || source !== null) return;
      source = new EventSource(`events${query}`);
      source.addEventListener('data', show);
      for (const name of ['stopped', 'error'])
        source.addEventListener(name, lost);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [query]);
  return live.query === query ? live : { ...live, data: null, error: null };
}

/** Draws the page again now and then, so that `5 minutes ago` stays true. */
export function useTick(): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 20_000);
    return () => clearInterval(timer);
  }, []);
}

export const TABS = ['steps', 'timeline', 'guidance', 'details'] as const;
export type Tab = (typeof TABS)[number];

export const OVERVIEW_HREF = '#/';

/** `project` is its key. */
export const runHref = (
  project: string,
  id: string,
  tab: Tab = 'steps',
): string =>
  `#/${project}/${encodeURIComponent(id)}${tab === 'steps' ? '' : `/${tab}`}`;

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
    tab: TABS.find((each) => each === tab) ?? 'steps',
  };
}
