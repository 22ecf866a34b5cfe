import { expect, it } from 'vitest';
import {
  isRunningClient,
  isSameRunningProcess,
} from '../../../../src/driver/record/running-process.ts';
import { clientProcess } from '../../../../src/sessions/client-process.ts';

const own = { pid: process.pid, start: clientProcess(String(process.pid))?.start ?? null };
const client = { ...own, token: 't', session: 'S', agent: null, stream: '0001-plan.jsonl' };

it('never takes a process for a client by its id alone', () => {
  expect(isRunningClient(client)).toBe(true);
  expect(isSameRunningProcess({ pid: process.pid, start: 'of another process' }, 'node')).toBe(
    false,
  );
  expect(isSameRunningProcess({ pid: process.pid, start: null }, 'no such word')).toBe(false);
  for (const pid of [0, 1, -1, 1.5, NaN])
    expect(isSameRunningProcess({ pid, start: null }, '')).toBe(false);
});
