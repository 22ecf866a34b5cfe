import { useEffect, useState } from 'preact/hooks';
import type { Overview, Refused, RunPage } from '../page-data.ts';

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
    const show = (event: MessageEvent<string>): void => {
      const message = JSON.parse(event.data);
      if ('error' in message)
        setLive({
          query,
          connection: 'live',
          data: null,
          error: message.error,
        });
      else setLive({ query, connection: 'live', data: message, error: null });
    };
    const showLost = (): void =>
      setLive((last) => ({ ...last, connection: 'lost' }));
    const close = (): void => {
      source?.close();
      source = null;
    };
    const follow = (): void => {
      if (document.hidden) {
        close();
        return;
      }
      if (source !== null) return;
      source = new EventSource(`events${query}`);
      source.addEventListener('data', show);
      for (const name of ['stopped', 'error'])
        source.addEventListener(name, showLost);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [query]);

  // Until the first message of another view arrives, what was shown last belongs to the former one.
  return live.query === query ? live : { ...live, data: null, error: null };
}

const TICK_MS = 20_000;

/** Draws the page again now and then, so that `5 minutes ago` stays true. */
export function useTick(): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
}

export const TABS = ['steps', 'timeline', 'guidance', 'details'] as const;
export type Tab = (typeof TABS)[number];

export const OVERVIEW_HREF = '#/';

/** `project` is its key. */
export function runHref(
  project: string,
  id: string,
  tab: Tab = 'steps',
): string {
  const run = `#/${project}/${encodeURIComponent(id)}`;
  return tab === 'steps' ? run : `${run}/${tab}`;
}

/** The part of the address after `#` decides what the page shows, so that back and forward work. `id` is null for the list. */
export function useRoute(): { project: string; id: string | null; tab: Tab } {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = (): void => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);

  // `#/runs/user-auth-20260101_120000/timeline`
  const [project = '', id = '', tab] = hash.replace(/^#\/?/, '').split('/');
  return {
    project,
    // An address that was cut by hand does not break it: no run has such an id, which the page then says.
    id: id !== '' ? new URLSearchParams(`id=${id}`).get('id') : null,
    tab: TABS.find((each) => each === tab) ?? 'steps',
  };
}
