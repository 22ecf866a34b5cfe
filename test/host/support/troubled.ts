import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';

export interface Troubled {
  readonly url: string;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** Stands before a model and fails the first requests for a message in this way. */
export async function startTroubled(
  model: string,
  how: number | 'cut',
  failures: number,
): Promise<Troubled> {
  let left = how === 401 ? Infinity : failures;
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    if (
      !path.startsWith('/v1/messages') ||
      path.includes('count_tokens') ||
      left <= 0
    )
      return forward(model, incoming, response);
    left -= 1;
    incoming.resume();
    incoming.once('end', () => fail(how, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('it has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function fail(how: number | 'cut', response: ServerResponse): void {
  if (how === 'cut') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: message_start\ndata: {"type":"message_start"');
    setTimeout(() => response.destroy(), 50);
    return;
  }
  const body = {
    type: 'error',
    error: { type: TYPES[how], message: 'scripted' },
  };
  response
    .writeHead(how, { 'content-type': 'application/json' })
    .end(JSON.stringify(body));
}

function forward(
  model: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const { method, headers } = incoming;
  const target = httpRequest(
    new URL(incoming.url ?? '/', model),
    { method, headers },
    (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    },
  );
  target.on('error', () => response.destroy());
  incoming.pipe(target);
}
