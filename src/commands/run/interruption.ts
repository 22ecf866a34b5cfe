import { signalGroup } from '../../headless/client.ts';
import type { DriverRecord } from '../../headless/record.ts';

const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** A gate that is under way raises the signal again, so one that follows at once is the same. */
const SAME_SIGNAL_MS = 1_000;

export interface Interruption {
  signal: AbortSignal;
  /** Of the signal that ended the run; null if none did. */
  exitCode: () => number | null;
  stop: () => void;
}

/** The first signal ends the turn in order, a second one ends the client at once. */
export function listenForSignals(record: Pick<DriverRecord, 'memory'>): Interruption {
  const controller = new AbortController();
  let first: { at: number; name: keyof typeof SIGNALS } | null = null;
  const onSignal = (name: NodeJS.Signals): void => {
    if (name !== 'SIGINT' && name !== 'SIGTERM' && name !== 'SIGHUP') return;
    if (first === null) {
      first = { at: Date.now(), name };
      controller.abort();
    } else if (Date.now() - first.at > SAME_SIGNAL_MS) {
      const pid = record.memory.client?.pid;
      if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    }
  };
  for (const name of Object.keys(SIGNALS)) process.on(name, onSignal);
  return {
    signal: controller.signal,
    exitCode: () => (first === null ? null : SIGNALS[first.name]),
    stop: () => {
      for (const name of Object.keys(SIGNALS)) process.off(name, onSignal);
    },
  };
}
