import { WakeMarks } from '../state/store/state-folder.ts';
import { SessionRegistry } from './session-registry.ts';

/** Remembers that the context has passed a threshold that the session was not told about yet. */
export function recordFill(
  { config, now }: { config: string; now: Date },
  session: string,
  percent: number,
  thresholds: readonly number[],
): void {
  const registry = new SessionRegistry(config, now.getTime());
  const told = registry.entry(session)?.fill?.passed ?? [];
  const passed = thresholds.filter((threshold) => percent >= threshold);
  if (passed.every((threshold) => told.includes(threshold))) return;
  registry.update(session, (before) => ({ ...before, fill: { percent, passed, isTold: false } }));
  new WakeMarks(config).wake(session, ['UserPromptSubmit']);
}
