import { WakeMarks } from '../state/store/state-folder.ts';
import { passedThresholds } from '../text/context-fill.ts';
import type { SessionRegistry } from './session-registry.ts';

// A session is told once that its context has passed a threshold of the settings: the status line, which knows the fill,
// records it, and the hook at the next prompt tells it.

/** Remembers a threshold that the session was not told about yet. */
export function recordFill(
  registry: SessionRegistry,
  session: string,
  percent: number,
  thresholds: readonly number[],
): void {
  const before = registry.entry(session)?.fill?.passed ?? [];
  const passed = passedThresholds(percent, thresholds);
  if (passed.every((threshold) => before.includes(threshold))) return;
  registry.update(session, { fill: { percent, passed } });
  new WakeMarks(registry.config).wake(session, ['UserPromptSubmit']);
}

/** How full the context is, to tell the session once; null if there is nothing to tell. */
export function takeFill(
  registry: SessionRegistry,
  session: string,
): number | null {
  const { percent = null, passed = [] } =
    registry.freshEntry(session)?.fill ?? {};
  if (percent !== null) registry.update(session, { fill: { passed } });
  return percent;
}

/** After a compaction or a clear every threshold counts again. */
export function forgetFill(registry: SessionRegistry, session: string): void {
  if (registry.entry(session)?.fill !== undefined)
    registry.update(session, { fill: undefined });
}
