import { useEffect, useState } from 'preact/hooks';
import type { Refused } from '../model/types/refused.ts';
import { parseHash, type PageRoute } from './route.ts';

export function useRoute(): PageRoute {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = (): void => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return parseHash(hash);
}

export type Connection = 'connecting' | 'live' | 'lost';

export interface Live {
  connection: Connection;
  /** Grows whenever something in the project has changed; 0 until the page listens, so that it asks only once. */
  version: number;
}

/**
 * Listens to the server while the page is visible. A hidden page closes its stream, because a browser opens only six
 * connections to a server, and pages in the background would use them up.
 */
export function useLive(shown: string | null): Live {
  const [live, setLive] = useState<Live>({ connection: 'connecting', version: 0 });
  useEffect(() => {
    let source: EventSource | null = null;
    const changed = (): void =>
      setLive(({ version }) => ({ connection: 'live', version: version + 1 }));
    // Without a stream the page still shows what there is, or why it is not shown.
    const lost = (): void =>
      setLive(({ version }) => ({ connection: 'lost', version: Math.max(version, 1) }));
    const open = (): void => {
      if (source !== null || document.hidden) return;
      source = new EventSource(
        `events${shown === null ? '' : `?shown=${encodeURIComponent(shown)}`}`,
      );
      source.addEventListener('hello', changed);
      source.addEventListener('change', changed);
      source.addEventListener('busy', lost);
      source.addEventListener('stopped', lost);
      source.addEventListener('error', lost);
    };
    const close = (): void => {
      source?.close();
      source = null;
    };
    const follow = (): void => (document.hidden ? close() : open());
    open();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [shown]);
  return live;
}

export interface Loaded<T> {
  data: T | null;
  error: Refused['error'] | null;
}

/** Asks the server whenever `path` or `version` changes, and keeps showing what was there meanwhile. */
export function useData<T>(path: string | null, version: number): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { path: string | null; text: string }>({
    data: null,
    error: null,
    path: null,
    text: '',
  });
  useEffect(() => {
    if (path === null || version === 0) return undefined;
    const abort = new AbortController();
    fetchText(path, abort.signal).then(
      ({ text, isFine }) => {
        if (abort.signal.aborted) return;
        setLoaded((before) =>
          before.path === path && before.text === text
            ? before
            : { path, text, ...parsed<T>(text, isFine) },
        );
      },
      () => {
        // Without a server the connection shows as lost; what is on the screen stays.
      },
    );
    return () => abort.abort();
  }, [path, version]);
  return loaded.path === path ? loaded : { data: null, error: null };
}

async function fetchText(
  path: string,
  signal: AbortSignal,
): Promise<{ text: string; isFine: boolean }> {
  const response = await fetch(path, { signal, cache: 'no-store' });
  return { text: await response.text(), isFine: response.ok };
}

function parsed<T>(text: string, isFine: boolean): Loaded<T> {
  try {
    const json = JSON.parse(text);
    return isFine ? { data: json, error: null } : { data: null, error: json.error };
  } catch {
    // A server of another holdfast, or one that refuses the token, answers with plain text.
    return {
      data: null,
      error: { code: 'refused', message: text.trim(), hint: 'Run `holdfast ui` again.' },
    };
  }
}

/** The current time, so that `5 minutes ago` stays true. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 20_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
