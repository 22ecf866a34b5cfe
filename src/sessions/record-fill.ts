import { OwedFiles } from '../state/store/owed-files.ts';
import { SessionEntries } from './session-entries.ts';
import { owedFolder } from './session-file.ts';

/** Remembers that the context has passed a threshold that the session was not told about yet. */
export function recordFill(
  { config, root, now }: { config: string; root: string; now: Date },
  session: string,
  percent: number,
  thresholds: readonly number[],
): void {
  const entries = new SessionEntries(config, now.getTime());
  const before = entries.read(session) ?? { session };
  const passed = thresholds.filter((threshold) => percent >= threshold);
  const isNew = passed.some((threshold) => before.fill?.passed.includes(threshold) !== true);
  if (!isNew) return;
  entries.write({ ...before, fill: { percent, passed, isTold: false } });
  new OwedFiles(owedFolder(config, root)).remove(session);
}
