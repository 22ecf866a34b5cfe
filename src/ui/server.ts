import { createHash, randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { errorCode } from '../files/read-file.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { LiveUpdates } from './live-updates.ts';
import {
  checkRequest,
  HOST,
  TOO_LARGE,
  WRONG_METHOD,
  type Access,
  type Answer,
  type DataRequest,
} from './request-check.ts';

/** How long a connection may take to send a request. */
const REQUEST_TIMEOUT_MS = 5_000;
/** How often Node looks for connections that have taken longer. */
const TIMEOUT_CHECK_MS = 1_000;
const MAX_HEADER_BYTES = 16_000;
const MAX_BODY_BYTES = 1_000_000;

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

export interface PageServer {
  port: number;
  /** The address of the page, with its token. */
  url: string;
  close: () => Promise<void>;
}

/** Serves the page on this machine only. */
export async function startPageServer(
  options: PageServerOptions,
): Promise<PageServer> {
  const access: Access = {
    port: options.port,
    token: options.token ?? newSecret(),
    mayChangeRuns: options.act !== undefined,
  };
  const live = new LiveUpdates(options.now);
  const page = pageAnswer(options.html);

  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    },
    (request, response) => {
      const route = checkRequest(request, access);
      if ('status' in route) {
        send(request, response, route);
        return;
      }
      // A page may wait: for what it has asked to be done, and for the next change.
      request.socket.setTimeout(0);

      switch (route.kind) {
        case 'page':
          send(request, response, page);
          break;
        case 'data':
          send(request, response, options.answer(route, options.now()));
          break;
        case 'act':
          void sendResult(request, response, options);
          break;
        case 'events':
          response.writeHead(200, {
            ...SAFE_HEADERS,
            'Content-Type': 'text/event-stream; charset=utf-8',
          });
          live.add(response, (time) => options.answer(route, time).body);
          break;
      }
    },
  );
  // The other time-outs of Node begin with the first byte.
  server.timeout = REQUEST_TIMEOUT_MS;

  await listen(server, options.port);
  const address = server.address();
  if (typeof address === 'object' && address !== null)
    access.port = address.port;

  return {
    port: access.port,
    url: `http://${HOST}:${access.port}/${access.token}/`,
    close: () =>
      new Promise((resolve) => {
        live.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const newSecret = (): string => randomBytes(24).toString('base64url');

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

/** Only the script and the style of the page run, they only reach this server, and no text becomes markup. */
function pagePolicy(html: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashesOf('script', html)}`,
    `style-src ${hashesOf('style', html)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** The hashes of all scripts, or of all styles, in the form of a content security policy. */
function hashesOf(tag: 'script' | 'style', html: string): string {
  const elements = html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'));
  const hashes: string[] = [];
  for (const [, content = ''] of elements) {
    const hash = createHash('sha256').update(content).digest('base64');
    hashes.push(`'sha256-${hash}'`);
  }
  return hashes.join(' ');
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): void {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, {
    ...SAFE_HEADERS,
    ...answer.headers,
    'Content-Length': String(body.length),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Answers what the page asks to be done, once it is done. */
async function sendResult(
  request: IncomingMessage,
  response: ServerResponse,
  { act }: PageServerOptions,
): Promise<void> {
  try {
    const body = await readBody(request);
    if (body === null) send(request, response, TOO_LARGE);
    else send(request, response, (await act?.(body)) ?? WRONG_METHOD);
  } catch {
    // The page was closed while it asked.
    response.destroy();
  }
}

/** Null if the body is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
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
      ? 'in use by another program'
      : `refused by the system (${code})`;
  return new HoldfastError('port_refused', `port ${port} is ${why}`, {
    hint: 'choose another with --port, or leave --port out to use any free one',
  });
}
