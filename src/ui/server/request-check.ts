import { createHash, timingSafeEqual } from 'node:crypto';

/** What a request must carry to be answered. */
export interface Access {
  port: number;
  /** In the path of every address. */
  token: string;
}

/** The parts of a request that decide whether and how it is answered. */
export interface RequestFacts {
  method: string | undefined;
  url: string | undefined;
  host: string | undefined;
  origin: string | undefined;
  /** From the browser: where a request comes from, in relation to this server. */
  fetchSite: string | undefined;
}

export type Route =
  | { kind: 'page' }
  | { kind: 'overview' }
  | { kind: 'run'; id: string }
  | { kind: 'guidance'; id: string }
  | { kind: 'restored'; id: string; at: string }
  | { kind: 'events'; shown: string | null }
  /** The address that the browser is started with; it works once. */
  | { kind: 'open'; code: string };

export type Refusal = 'method' | 'host' | 'origin' | 'token' | 'not_found';

const LONGEST_URL = 2_000;

/** The route of a request, or why it is refused. Every check comes before the address is looked at any closer. */
export function checkRequest(facts: RequestFacts, access: Access): Route | Refusal {
  const { method, url = '', host, origin, fetchSite } = facts;
  const own = ownHosts(access.port);
  if (method !== 'GET' && method !== 'HEAD') return 'method';
  // A page of another site whose name was made to point at this machine still sends its own name.
  if (host === undefined || !own.includes(host)) return 'host';
  if (origin !== undefined && !own.some((name) => origin === `http://${name}`)) return 'origin';
  if (!url.startsWith('/') || url.length > LONGEST_URL) return 'not_found';
  const { path, query } = splitUrl(url);
  const [, first = '', ...rest] = path.split('/');
  if (first === 'open' && rest.length === 1)
    return method === 'GET' ? { kind: 'open', code: rest[0] ?? '' } : 'method';
  if (!isSameSecret(first, access.token)) return 'token';
  const route = routeOf(rest.join('/'), query);
  if (route === 'not_found' || route.kind === 'page') return route;
  // A link to the page may be clicked anywhere, such as in a terminal that runs in a browser; data is for the page only.
  if (!isOwnSite(fetchSite)) return 'origin';
  return route.kind === 'events' && method !== 'GET' ? 'method' : route;
}

/** Clients leave out port 80, which is that of every address without one. */
function ownHosts(port: number): string[] {
  const named = `127.0.0.1:${port}`;
  return port === 80 ? [named, '127.0.0.1'] : [named];
}

/** Compares digests, so that the time it takes tells nothing about the secret or its length. */
export function isSameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const at = url.indexOf('?');
  return at < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, at), query: new URLSearchParams(url.slice(at + 1)) };
}

/** Old browsers do not say where a request comes from; for them Host and Origin decide. */
function isOwnSite(fetchSite: string | undefined): boolean {
  return fetchSite === undefined || fetchSite === 'same-origin' || fetchSite === 'none';
}

function routeOf(path: string, query: URLSearchParams): Route | 'not_found' {
  const id = query.get('id') ?? '';
  switch (path) {
    case '':
      return { kind: 'page' };
    case 'data/overview':
      return { kind: 'overview' };
    case 'data/run':
      return { kind: 'run', id };
    case 'data/guidance':
      return { kind: 'guidance', id };
    case 'data/restored':
      return { kind: 'restored', id, at: query.get('at') ?? '' };
    case 'events':
      return { kind: 'events', shown: query.get('shown') };
    default:
      return 'not_found';
  }
}
