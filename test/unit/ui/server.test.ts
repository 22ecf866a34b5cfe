import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startPageServer, type PageServer } from '../../../src/ui/server.ts';
import { ask } from '../../support/page-server.ts';

async function start(): Promise<PageServer> {
  const server = await startPageServer({
    html: '<p>page</p>',
    port: 0,
    now: () => new Date(),
    answer: () => ({ status: 200, headers: {}, body: '{}' }),
    fingerprint: () => '',
  });
  onTestFinished(() => server.close());
  return server;
}

async function connection({ port }: PageServer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const open = ({ port, url }: PageServer, rest = ''): ReturnType<typeof ask> =>
  ask(port, `${new URL(url).pathname}${rest}`);

it('300 idle connections do not keep the owner out, nor close a stream', async () => {
  const server = await start();
  const stream = await fetch(`${server.url}events`);
  const reader = stream.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  for (let count = 0; count < 300; count += 1) await connection(server);
  expect((await open(server)).status).toBe(200);
  await server.close();
  let rest = '';
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
    rest += Buffer.from(part.value).toString();
  expect(rest).toContain('event: stopped');
});

it('a connection that sends nothing is closed after a few seconds', async () => {
  const server = await start();
  const socket = await connection(server);
  socket.resume();
  await once(socket, 'close');
  expect((await open(server)).status).toBe(200);
});
