import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { HoldfastError } from '../text/holdfast-error.ts';
import { errorCode } from '../files/read-file.ts';

const HOST = '127.0.0.1';
/** How long a connection may take to send a request. */
const PATIENCE_MS = 5_000;

export interface PageServerOptions {
  /** The page: one HTML file with its script and style. */
  html: string;
  /** 0 for any free port. */
  port: number;
  now: () => Date;
  /** In every address; any one where it is left out. */
  token?: string;
  answer: (request: DataRequest, now: Date) => Answer;
  /** Does what a person asks for on the page, given the body of the request; without it the page only shows. */
  act?: (body: string) => Promise<Answer>;
}

export type Answer = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
};

export interface DataRequest {
  view: 'overview' | 'run';
  /** The key of a project; `runs` is the only one. */
  project: string;
  /** Of a run. */
  id: string;
}

/** Serves the page on this machine only. */
export async function startPageServer(options: PageServerOptions) {
  const { html, now, act } = options;
  const token = options.token ?? newSecret();
  const access = { port: options.port, token, acts: act !== undefined };
  const live = new LiveUpdates(now);
  const page: Answer = {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': pagePolicy(html),
    },
    body: html,
  };
  const server = createServer(
    {
      maxHeaderSize: 16_000,
      requestTimeout: PATIENCE_MS,
      connectionsCheckingInterval: PATIENCE_MS / 5,
    },
    (request, response) => {
      const route = checkRequest(request, access);
      if ('status' in route) return send(request, response, route);
      // A page may wait: for what it has asked to be done, and for the next change.
      request.socket.setTimeout(0);
      if (route.kind === 'page') send(request, response, page);
      else if (route.kind === 'data')
        send(request, response, options.answer(route, now()));
      else if (route.kind === 'act')
        void readBody(request)
          .then((body) =>
            body === null ? TOO_LARGE : (act?.(body) ?? WRONG_METHOD),
          )
          .then((answer) => send(request, response, answer))
          // A page that is closed while it asks.
          .catch(() => response.destroy());
      else {
        const type = { 'Content-Type': 'text/event-stream; charset=utf-8' };
        response.writeHead(200, { ...SAFE_HEADERS, ...type });
        live.add(response, (time) => options.answer(route, time).body);
      }
    },
  );
  // The other time-outs of Node begin with the first byte.
  server.timeout = PATIENCE_MS;
  await listen(server, options.port);
  const address = server.address();
  if (typeof address === 'object' && address !== null)
    access.port = address.port;
  return {
    port: access.port,
    /** The address of the page, with its token. */
    url: `http://${HOST}:${access.port}/${token}/`,
    close: () =>
      new Promise<void>((resolve) => {
        live.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** `token` is in the path of every address; `acts`: whether the page may change anything. */
export type Access = { port: number; token: string; acts: boolean };

export type Route =
  | { kind: 'page' }
  | ({ kind: 'data' | 'events' } & DataRequest)
  | { kind: 'act' };

/** The route of a request, or why it is refused. Every check comes before the address is looked at any closer. */
export function checkRequest(
  {
    method,
    url = '',
    headers,
  }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  access: Access,
): Route | Answer {
  const { host = '', origin } = headers;
  // Clients leave out port 80, which is that of every address without one.
  const own = [`${HOST}:${access.port}`, ...(access.port === 80 ? [HOST] : [])];
  const isPost = method === 'POST' && access.acts;
  if (method !== 'GET' && method !== 'HEAD' && !isPost) return WRONG_METHOD;
  // A page of another site whose name was made to point at this machine still sends its own name.
  if (!own.includes(host)) return WRONG_HOST;
  // A browser names the origin of everything that may change something.
  if (
    (origin !== undefined || isPost) &&
    !own.some((name) => origin === `http://${name}`)
  )
    return WRONG_ORIGIN;
  if (!url.startsWith('/') || url.length > 2_000) return NOT_FOUND;
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  const [, first = '', ...rest] = path.split('/');
  if (!isSameSecret(first, access.token)) return NO_TOKEN;
  const route = routeOf(rest.join('/'), new URLSearchParams(query));
  if (isPost !== (route?.kind === 'act'))
    return isPost ? WRONG_METHOD : NOT_FOUND;
  if (route === null) return NOT_FOUND;
  if (route.kind === 'page') return route;
  // A link to the page may be clicked anywhere, such as in a terminal that runs in a browser; data is for the page only.
  // Old browsers do not say where a request comes from; for them Host and Origin decide.
  const from = headers['sec-fetch-site'] ?? 'same-origin';
  if (from !== 'same-origin' && from !== 'none') return WRONG_ORIGIN;
  // A form of another site cannot send this type.
  if (isPost && headers['content-type'] !== 'application/json')
    return WRONG_ORIGIN;
  return route.kind === 'events' && method !== 'GET' ? WRONG_METHOD : route;
}

/** No refusal repeats anything from the request. */
const WRONG_METHOD = refused(405, 'this page only shows; it changes nothing.', {
  Allow: 'GET, HEAD',
});
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
const TOO_LARGE = refused(413, 'that is too long.');
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

function routeOf(path: string, query: URLSearchParams): Route | null {
  if (path === '') return { kind: 'page' };
  if (path === 'act') return { kind: 'act' };
  const isEvents = path === 'events';
  const name = isEvents ? `data/${query.get('view') ?? 'overview'}` : path;
  const view = (['overview', 'run'] as const).find(
    (each) => name === `data/${each}`,
  );
  if (view === undefined) return null;
  return {
    kind: isEvents ? 'events' : 'data',
    view,
    project: query.get('project') ?? 'runs',
    id: query.get('id') ?? '',
  };
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > 1_000_000) return null;
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export const newSecret = (): string => randomBytes(24).toString('base64url');

/** Compares digests, so that the time it takes tells nothing about the secret or its length. */
function isSameSecret(token: string, secret: string): boolean {
  const digest = (text: string): Buffer =>
    createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(token), digest(secret));
}

/** For every answer: nothing is stored, guessed, framed, sent elsewhere or readable by another site. */
const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Only the script and the style of the page run, they only reach this server, and no text becomes markup. */
function pagePolicy(html: string): string {
  const hashes = (tag: 'script' | 'style'): string =>
    [...html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))]
      .map(
        ([, text = '']) =>
          `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
      )
      .join(' ');
  return [
    "default-src 'none'",
    `script-src ${hashes('script')}`,
    `style-src ${hashes('style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, {
    ...SAFE_HEADERS,
    ...answer.headers,
    'Content-Length': String(body.length),
  });
  response.end(method === 'HEAD' ? undefined : body);
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, port)));
    server.listen({ host: HOST, port, exclusive: true }, resolve);
  });

function listenError(error: Error, port: number): Error {
  const code = errorCode(error);
  if (code === undefined) return error;
  const why =
    code === 'EADDRINUSE'
      ? 'in use by another program'
      : `refused by the system (${code})`;
  return new HoldfastError('port_refused', `port ${port} is ${why}`, {
    hint: 'choose another with --port, or leave --port out to use any free one',
  });
}

/** Looking takes at most this part of the time, also in a project with thousands of runs. */
const IDLE_FACTOR = 20;

type Shown = (now: Date) => string;

/** Sends pages what they show, at once and when it has changed. Without listeners, nothing is looked at. */
class LiveUpdates {
  /** How each page gets what it shows, and what it was sent last. */
  private readonly streams = new Map<
    ServerResponse,
    { shown: Shown; last: string }
  >();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly now: () => Date) {}

  add(response: ServerResponse, shown: Shown): void {
    this.streams.set(response, { shown, last: '' });
    response.on('close', () => {
      this.streams.delete(response);
      if (this.streams.size === 0) clearTimeout(this.timer);
    });
    // The browser connects again by itself after this many milliseconds.
    response.write('retry: 1500\n\n');
    this.look();
  }

  close(): void {
    clearTimeout(this.timer);
    for (const response of this.streams.keys()) {
      tell(response, 'stopped');
      response.end();
    }
    this.streams.clear();
  }

  private look(): void {
    clearTimeout(this.timer);
    const started = this.now().getTime();
    // Durations grow all the time: pages get them once a minute.
    const minute = new Date(started - (started % 60_000));
    for (const [response, { shown, last }] of this.streams) {
      const data = shown(minute);
      if (data !== last) tell(response, 'data', data);
      this.streams.set(response, { shown, last: data });
    }
    const took = this.now().getTime() - started;
    this.timer = setTimeout(
      () => this.look(),
      Math.max(700, took * IDLE_FACTOR),
    );
  }
}

/** JSON has no line breaks, which would end the data. */
const tell = (response: ServerResponse, event: string, data = '') =>
  response.write(`event: ${event}\ndata: ${data}\n\n`);
