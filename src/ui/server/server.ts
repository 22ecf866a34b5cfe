import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { errorCode } from '../../io/read-file.ts';
import { fingerprintOf } from '../load/fingerprint.ts';
import type { PageProject } from '../load/open-for-page.ts';
import { filesShownBy } from '../load/shown-files.ts';
import { failureAnswer, refusedAnswer, textAnswer, type Answer } from './answers.ts';
import { pagePolicy, SAFE_HEADERS } from './headers.ts';
import { LiveUpdates } from './live.ts';
import { OneTimeCode } from './one-time-code.ts';
import { checkRequest, type Access, type Route } from './request-check.ts';
import { answerData } from './routes.ts';

const HOST = '127.0.0.1';
const MAX_CONNECTIONS = 200;
const MAX_HEADER_BYTES = 16_000;
const TOKEN_BYTES = 24;

export interface PageServerOptions {
  project: PageProject;
  /** The page: one HTML file with its script and style. */
  html: string;
  /** 0 for any free port. */
  port: number;
  now: () => Date;
}

export interface PageServer {
  port: number;
  /** The address of the page, with its token. */
  url: string;
  /** An address for the command line of a browser, which other users of the machine can read: it works once. */
  openingUrl: () => string;
  close: () => Promise<void>;
}

/** Serves the page on this machine only. */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  const { project, html, now } = options;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const code = new OneTimeCode();
  const live = new LiveUpdates({
    fingerprint: (shown) => fingerprintOf(project.root, filesShownBy(project, shown, now())),
    now: () => now().getTime(),
  });
  const access = { port: options.port, token };
  const page = pageAnswer(html);
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    const route = checkRequest(factsOf(request), access);
    if (typeof route === 'string') send(request, response, refusedAnswer(route));
    else if (route.kind === 'events') startStream(response, live, route.shown);
    else send(request, response, answer(route, { project, page, code, access, now: now() }));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, options.port);
  access.port = portOf(server);
  const origin = `http://${HOST}:${access.port}`;
  return {
    port: access.port,
    url: `${origin}/${token}/`,
    openingUrl: () => `${origin}/open/${code.issue(now())}`,
    close: () => stop(server, live),
  };
}

interface Answering {
  project: PageProject;
  page: Answer;
  code: OneTimeCode;
  access: Access;
  now: Date;
}

function answer(
  route: Exclude<Route, { kind: 'events' }>,
  { project, page, code, access, now }: Answering,
): Answer {
  switch (route.kind) {
    case 'page':
      return page;
    case 'open':
      return code.redeem(route.code, now)
        ? { status: 303, headers: { Location: `/${access.token}/` }, body: '' }
        : textAnswer(
            403,
            'holdfast: this link works once and has been used. Open the address that `holdfast ui` printed.',
          );
    default:
      try {
        return answerData(route, project, now);
      } catch (error) {
        return failureAnswer(error);
      }
  }
}

function pageAnswer(html: string): Answer {
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': pagePolicy(html),
    },
    body: html,
  };
}

function factsOf({ method, url, headers }: IncomingMessage): Parameters<typeof checkRequest>[0] {
  const fetchSite = headers['sec-fetch-site'];
  return {
    method,
    url,
    host: headers.host,
    origin: headers.origin,
    fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined,
  };
}

function send({ method }: IncomingMessage, response: ServerResponse, reply: Answer): void {
  const body = Buffer.from(reply.body);
  response.writeHead(reply.status, {
    ...SAFE_HEADERS,
    ...reply.headers,
    'Content-Length': String(body.length),
  });
  response.end(method === 'HEAD' ? undefined : body);
}

function startStream(response: ServerResponse, live: LiveUpdates, shown: string | null): void {
  response.writeHead(200, {
    ...SAFE_HEADERS,
    'Content-Type': 'text/event-stream; charset=utf-8',
  });
  if (!live.add(response, shown)) response.end('event: busy\ndata:\n\n');
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, port)));
    server.listen({ host: HOST, port, exclusive: true }, resolve);
  });
}

function listenError(error: Error, port: number): Error {
  const code = errorCode(error);
  if (code === undefined) return error;
  const why =
    code === 'EADDRINUSE'
      ? `port ${port} is in use by another program`
      : `the system refused port ${port} (${code})`;
  return new HoldfastError('port_refused', why, {
    hint: 'choose another with --port, or leave --port out to use any free one',
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function stop(server: Server, live: LiveUpdates): Promise<void> {
  live.close();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
