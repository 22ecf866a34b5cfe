import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The page is served on this machine only. */
export const HOST = '127.0.0.1';

const MAX_URL_CHARS = 2_000;

/** What a request must carry to be answered. */
export interface Access {
  port: number;
  /** In the path of every address. */
  token: string;
  /** Whether the page may change anything. */
  mayChangeRuns: boolean;
}

export type Route =
  | { kind: 'page' }
  | ({ kind: 'data' | 'events' } & DataRequest)
  | { kind: 'act' };

export interface DataRequest {
  view: 'overview' | 'run';
  /** The key of a project; `runs` is the only one. */
  project: string;
  /** Of a run. */
  id: string;
}

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

type Request = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** The route of a request, or why it is refused. Every check comes before the address is looked at any closer. */
export function checkRequest(request: Request, access: Access): Route | Answer {
  const { method, url = '', headers } = request;
  const isAllowedPost = method === 'POST' && access.mayChangeRuns;
  if (method !== 'GET' && method !== 'HEAD' && !isAllowedPost)
    return WRONG_METHOD;

  const refusal = checkOrigin(headers, access, isAllowedPost);
  if (refusal !== null) return refusal;

  if (!url.startsWith('/') || url.length > MAX_URL_CHARS) return NOT_FOUND;
  const { token, path, query } = partsOf(url);
  if (!isSameSecret(token, access.token)) return NO_TOKEN;

  const route = routeOf(path, query);
  const isActRoute = route?.kind === 'act';
  if (isAllowedPost && !isActRoute) return WRONG_METHOD;
  if (!isAllowedPost && isActRoute) return NOT_FOUND;
  if (route === null) return NOT_FOUND;

  // A link to the page may be clicked anywhere, such as in a terminal that runs in a browser; data is for the page only.
  if (route.kind === 'page') return route;

  // Old browsers do not say where a request comes from; for them Host and Origin decide.
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  if (site !== 'same-origin' && site !== 'none') return WRONG_ORIGIN;
  // A form of another site cannot send this type.
  if (isAllowedPost && headers['content-type'] !== 'application/json')
    return WRONG_ORIGIN;

  const isHeadOfStream = route.kind === 'events' && method !== 'GET';
  return isHeadOfStream ? WRONG_METHOD : route;
}

/** Null if the request names this server, and comes from its page or from no page at all. */
function checkOrigin(
  headers: Request['headers'],
  access: Access,
  isPost: boolean,
): Answer | null {
  const { host = '', origin } = headers;
  const ownNames = [`${HOST}:${access.port}`];
  // Clients leave out port 80, which is that of every address without one.
  if (access.port === 80) ownNames.push(HOST);

  // A page of another site whose name was made to point at this machine still sends its own name.
  if (!ownNames.includes(host)) return WRONG_HOST;

  // A browser names the origin of everything that may change something.
  const needsOrigin = origin !== undefined || isPost;
  const isOwnOrigin = ownNames.some((name) => origin === `http://${name}`);
  return needsOrigin && !isOwnOrigin ? WRONG_ORIGIN : null;
}

/** `/<token>/data/run?id=x` → its token, `data/run` and the query. */
function partsOf(url: string): {
  token: string;
  path: string;
  query: URLSearchParams;
} {
  const queryStart = url.indexOf('?');
  const address = queryStart < 0 ? url : url.slice(0, queryStart);
  const query = queryStart < 0 ? '' : url.slice(queryStart + 1);
  const [, token = '', ...rest] = address.split('/');
  return { token, path: rest.join('/'), query: new URLSearchParams(query) };
}

/** Compares digests, so that the time it takes tells nothing about the secret or its length. */
function isSameSecret(token: string, secret: string): boolean {
  const digest = (text: string): Buffer =>
    createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(token), digest(secret));
}

function routeOf(path: string, query: URLSearchParams): Route | null {
  if (path === '') return { kind: 'page' };
  if (path === 'act') return { kind: 'act' };

  const isEvents = path === 'events';
  const data = isEvents ? `data/${query.get('view') ?? 'overview'}` : path;
  const view = viewAt(data);
  if (view === null) return null;
  return {
    kind: isEvents ? 'events' : 'data',
    view,
    project: query.get('project') ?? 'runs',
    id: query.get('id') ?? '',
  };
}

function viewAt(path: string): DataRequest['view'] | null {
  if (path === 'data/overview') return 'overview';
  return path === 'data/run' ? 'run' : null;
}

/** No refusal repeats anything from the request. */
export const WRONG_METHOD: Answer = refused(
  405,
  'this page only shows; it changes nothing.',
  { Allow: 'GET, HEAD' },
);
export const TOO_LARGE: Answer = refused(413, 'that is too long.');
const WRONG_HOST = refused(
  403,
  'use the address that `holdfast ui` printed: this host name is not allowed.',
);
const WRONG_ORIGIN = refused(
  403,
  'requests from other sites are not answered.',
);
const NO_TOKEN = refused(
  403,
  'this address has no valid token. Use the one that `holdfast ui` printed.',
);
const NOT_FOUND = refused(404, 'there is nothing at this address.');

function refused(
  status: number,
  sentence: string,
  headers: Answer['headers'] = {},
): Answer {
  return {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
    body: `holdfast: ${sentence}\n`,
  };
}
