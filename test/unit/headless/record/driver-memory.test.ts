import { expect, test } from 'vitest';
import { memoryIn } from '../../../../src/headless/record/driver-memory.ts';

const recorded = (session: string): Record<string, unknown> => ({
  client: { pid: 7, start: null, token: 't', session, agent: null, stream: '1.jsonl' },
  sessions: { main: session, own: { entry: 'e', agent: 'a', session } },
});

test('the conversations of a run are known to the next driver', () => {
  expect(memoryIn(recorded('3f0c-1'))).toMatchObject({
    client: { session: '3f0c-1' },
    sessions: { main: '3f0c-1', own: { session: '3f0c-1' } },
  });
});

test.each(['--dangerously-skip-permissions', '-c', 'a b', '', '../x'])(
  'a record that came with the project cannot give the client %j as an option',
  (session) => {
    expect(memoryIn(recorded(session))).toMatchObject({
      client: null,
      sessions: { main: null, own: null },
    });
  },
);
