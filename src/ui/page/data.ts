import { useEffect, useState } from 'preact/hooks';
import type { Refused } from '../answers.ts';

/** `version` grows with every change in the project; 0 until the page listens, so that it asks only once. */
type Live = { connection: 'connecting' | 'live' | 'lost'; version: number };

/** A browser opens six connections to a server: a hidden page closes its stream, so that it takes none from the others. */
export function useLive(shown: URLSearchParams | null): Live {
  const query = shown === null ? '' : `?${shown.toString()}`;
  const [live, setLive] = useState<Live>({ connection: 'connecting', version: 0 });
  useEffect(() => {
    let source: EventSource | null = null;
    const changed = () => setLive(({ version }) => ({ connection: 'live', version: version + 1 }));
    // Without a stream the page still shows what there is, or why it is not shown.
    const lost = (): void =>
      setLive(({ version }) => ({ connection: 'lost', version: Math.max(version, 1) }));
    const close = (): void => {
      source?.close();
      source = null;
    };
    const follow = (): void => {
      if (document.hidden) close();
      if (document.hidden || source !== null) return;
      source = new EventSource(`events${query}`);
      for (const name of ['hello', 'change']) source.addEventListener(name, changed);
      for (const name of ['stopped', 'error']) source.addEventListener(name, lost);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [query]);
  return live;
}

export type Loaded<T> = { data: T; error: null } | { data: null; error: Refused['error'] | null };

export const dataPath = (view: 'run' | 'guidance', project: string, id: string): string =>
  `data/${view}?${new URLSearchParams({ project, id }).toString()}`;

/** Asks the server whenever `path` or `version` changes, and keeps showing what was there meanwhile. */
export function useData<T>(path: string | null, version: number): Loaded<T> {
  const [last, setLast] = useState<{ path: string; text: string; loaded: Loaded<T> } | null>(null);
  useEffect(() => {
    if (path === null || version === 0) return undefined;
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      const response = await fetch(path, { signal: abort.signal, cache: 'no-store' });
      const text = await response.text();
      setLast((before) =>
        before?.path === path && before.text === text
          ? before
          : { path, text, loaded: parsed(text, response.ok) },
      );
    };
    load().catch(() => {
      // Without a server the connection shows as lost; what is on the screen stays.
    });
    return () => abort.abort();
  }, [path, version]);
  return last?.path === path ? last.loaded : { data: null, error: null };
}

function parsed<T>(text: string, isFine: boolean): Loaded<T> {
  try {
    const json = JSON.parse(text);
    return isFine ? { data: json, error: null } : { data: null, error: json.error };
  } catch {
    // A server of another holdfast, or one that refuses the token, answers with plain text.
    const error = { code: 'refused', message: text.trim(), hint: 'Run `holdfast ui` again.' };
    return { data: null, error };
  }
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
export const runHref = (project: string, id: string, tab: Tab = 'steps'): string =>
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
