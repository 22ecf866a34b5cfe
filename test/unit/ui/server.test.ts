import { expect, it, onTestFinished } from 'vitest';
import { startPageServer, type PageServer } from '../../../src/ui/server.ts';
import { ask } from '../../support/page-server.ts';

async function start(now: () => Date = () => new Date()): Promise<PageServer> {
  const server = await startPageServer({
    html: '<p>page</p>',
    port: 0,
    now,
    answer: () => ({ status: 200, headers: {}, body: '{}' }),
    fingerprint: () => '',
  });
  onTestFinished(() => server.close());
  return server;
}

it('the link for the browser works for two minutes, and only the latest', async () => {
  let now = new Date('2025-06-01T12:00:00Z');
  const server = await start(() => now);
  const issue = (): string => new URL(server.openingLink(() => undefined)).pathname;
  const [first, second] = [issue(), issue()];
  now = new Date('2025-06-01T12:02:01Z');
  for (const path of ['/open/', first, second])
    expect((await ask(server.port, path)).status).toBe(403);
});
