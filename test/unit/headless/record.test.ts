import { expect, it } from 'vitest';
import { memoryIn } from '../../../src/headless/driver-memory.ts';
import { isSameRunningProcess } from '../../../src/headless/running-process.ts';
import { clientProcess } from '../../../src/sessions/client-process.ts';

const own = {
  pid: process.pid,
  start: clientProcess(String(process.pid))?.start ?? null,
};

it('never takes a process for a client by its id alone', () => {
  expect(isSameRunningProcess(own, 'node')).toBe(true);
  expect(
    isSameRunningProcess(
      { pid: process.pid, start: 'of another process' },
      'node',
    ),
  ).toBe(false);
  expect(
    isSameRunningProcess({ pid: process.pid, start: null }, 'no such word'),
  ).toBe(false);
  for (const pid of [0, 1, -1, 1.5, NaN])
    expect(isSameRunningProcess({ pid, start: null }, '')).toBe(false);
});

const SESSION = '0f8fad5b-d9cb-469f-a165-70867728950e';
const recorded = (session: string): Record<string, unknown> => ({
  client: { pid: 7, start: null, token: 't', session },
  sessions: { main: session, own: { entry: 'e', agent: 'a', session } },
});

it('the conversations of a run are known to the next driver', () => {
  expect(memoryIn(recorded(SESSION))).toMatchObject({
    client: { session: SESSION },
    sessions: { main: SESSION, own: { session: SESSION } },
  });
});

it.each(['--dangerously-skip-permissions', '-c', 'a b', '', '../x', 'e'])(
  'a record that came with the project cannot pass %j for a session',
  (session) => {
    expect(memoryIn(recorded(session))).toMatchObject({
      client: null,
      sessions: { main: null, own: null },
    });
  },
);
