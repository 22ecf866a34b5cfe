import { expect, it, onTestFinished, vi } from 'vitest';
import { listenForSignals } from '../../../src/commands/run/drive-here.ts';

const client = { pid: 4_242, start: null, token: 't', session: 'S' };
const memory = { client: null, sessions: { main: null, own: null }, gateFailures: null };

it.each([
  ['SIGINT', 130, client],
  ['SIGTERM', 143, client],
  ['SIGHUP', 129, null],
] as const)('%s ends the turn in order, a later one ends the client', (name, code, working) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const before = process.listenerCount(name);
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const listening = listenForSignals({ memory: { ...memory, client: working } });
  expect([listening.signal.aborted, listening.exitCode()]).toEqual([false, null]);
  process.emit(name, name);
  expect([listening.signal.aborted, listening.exitCode()]).toEqual([true, code]);
  // A gate that is under way raises the same signal once more.
  process.emit(name, name);
  expect(kill).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_500);
  process.emit('SIGTERM', 'SIGTERM');
  expect(kill.mock.calls).toEqual(working === null ? [] : [[-4_242, 'SIGKILL']]);
  // The first one is the reason.
  expect(listening.exitCode()).toBe(code);
  listening.stop();
  expect(process.listenerCount(name)).toBe(before);
});
