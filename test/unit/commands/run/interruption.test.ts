import { afterEach, describe, expect, it, vi } from 'vitest';
import { listenForSignals, type Interruption } from '../../../../src/commands/run/interruption.ts';

let listening: Interruption | null = null;
afterEach(() => {
  listening?.stop();
  listening = null;
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const NO_CLIENT = {
  memory: { client: null, sessions: { main: null, own: null }, gateFailures: null },
};
const withClient = (pid: number) => ({
  memory: {
    ...NO_CLIENT.memory,
    client: { pid, start: null, token: 't', session: 'S' },
  },
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends the turn in order, with exit code %i', (name, code) => {
    listening = listenForSignals(NO_CLIENT);
    expect([listening.signal.aborted, listening.exitCode()]).toEqual([false, null]);
    process.emit(name, name);
    expect([listening.signal.aborted, listening.exitCode()]).toEqual([true, code]);
  });

  it('ends the client at once if it comes again, but not if it is the same one once more', () => {
    vi.useFakeTimers();
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    listening = listenForSignals(withClient(4_242));
    process.emit('SIGINT', 'SIGINT');
    process.emit('SIGINT', 'SIGINT');
    expect(kill).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_500);
    process.emit('SIGTERM', 'SIGTERM');
    expect(kill).toHaveBeenCalledExactlyOnceWith(-4_242, 'SIGKILL');
    // The first one is the reason.
    expect(listening.exitCode()).toBe(130);
  });

  it('ends nothing where no client works', () => {
    vi.useFakeTimers();
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    listening = listenForSignals(NO_CLIENT);
    process.emit('SIGINT', 'SIGINT');
    vi.advanceTimersByTime(1_500);
    process.emit('SIGINT', 'SIGINT');
    expect(kill).not.toHaveBeenCalled();
  });

  it('is left to Node again after the driver has stopped', () => {
    const before = process.listenerCount('SIGINT');
    listening = listenForSignals(NO_CLIENT);
    expect(process.listenerCount('SIGINT')).toBe(before + 1);
    listening.stop();
    expect(process.listenerCount('SIGINT')).toBe(before);
  });
});
