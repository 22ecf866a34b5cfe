import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { type Reply, wireEvents, wireMessage } from './reply.ts';
import { isSummariser, isTurn, type ModelRequest } from './request.ts';
import { obey } from './script.ts';

export type Answer = (request: ModelRequest) => Reply | Promise<Reply>;

export interface Model {
  readonly url: string;
  /** Every request for a message, in the order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Those of the conversation (sub-agents included), without side jobs and summaries. */
  turns(): readonly ModelRequest[];
  summaries(): readonly ModelRequest[];
  /** What the test's own answer threw, or an address that is not served: a test ends by finding none. */
  readonly faults: readonly string[];
  /** From now on, answer so. */
  answerWith(answer: Answer): void;
  close(): Promise<void>;
}

/** A stand-in of the model API on the loopback interface. */
export async function startModel(firstAnswer: Answer = obey): Promise<Model> {
  const requests: ModelRequest[] = [];
  const faults: string[] = [];
  let answer = firstAnswer;

  async function serve(
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const path = new URL(incoming.url ?? '/', 'http://loopback').pathname;
    const body = await readBody(incoming);
    // 2.1.197 asks for `HEAD /` at every start, to warm up the connection.
    if (incoming.method === 'HEAD') return void response.end();
    if (path === '/v1/messages/count_tokens')
      return sendJson(response, 200, { input_tokens: body.length >> 2 });
    if (path !== '/v1/messages') {
      faults.push(`not served: ${incoming.method} ${path}`);
      return sendJson(response, 404, errorBody('not_found_error', path));
    }
    const request: ModelRequest = JSON.parse(body);
    const serial = requests.push(request);
    const reply = await answer(request);
    if (reply.isRefused === true)
      return sendJson(
        response,
        400,
        errorBody('invalid_request_error', 'refused'),
      );
    const message = wireMessage(reply, request.model, serial);
    if (request.stream !== true) return sendJson(response, 200, message);
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(wireEvents(message));
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      faults.push(String(error));
      // 400 is final for the client; it would try again after a 5xx, for minutes.
      if (!response.headersSent)
        sendJson(
          response,
          400,
          errorBody('invalid_request_error', String(error)),
        );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the model has no port');

  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    faults,
    turns: () => requests.filter(isTurn),
    summaries: () => requests.filter(isSummariser),
    answerWith(next) {
      answer = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  let body = '';
  for await (const text of incoming.setEncoding('utf8')) body += text;
  return body;
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify(body));
}

function errorBody(type: string, message: string) {
  return { type: 'error', error: { type, message } };
}
