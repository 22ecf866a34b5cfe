import type { RunState } from '../state/types.ts';
import { evaluate } from '../util/conditions.ts';
import type { TriggerMatcher } from './triggers.ts';
import type { Artifact } from './types.ts';

const FIVE_MINUTES = 300_000;

/** Why an artifact is not loaded now. One that is `in context` still counts as due. */
export type Skip =
  | { kind: 'not asked for' }
  | { kind: 'not triggered' }
  | { kind: 'condition false' }
  | { kind: 'condition bad'; why: string }
  | { kind: 'in context'; since: string };

export type Decision =
  | { artifact: Artifact; verdict: 'load'; trigger: string }
  | { artifact: Artifact; verdict: 'skip'; skip: Skip };

export interface LoadOptions {
  now: Date;
  /** Also what is in the context already. */
  force: boolean;
  /** Only artifacts with these ids; all where it is left out. */
  only?: readonly string[];
  /** What this session was given since its context was last emptied. */
  inContext: readonly { artifact_id: string; loaded_at: string }[];
}

/** For each artifact, in order, whether it is loaded now. */
export function decide(
  artifacts: readonly Artifact[],
  occasion: TriggerMatcher,
  state: RunState,
  { now, force, only, inContext }: LoadOptions,
): Decision[] {
  return artifacts.map((artifact) => {
    const skipped = (skip: Skip): Decision => ({ artifact, verdict: 'skip', skip });
    const { id, condition = 'true', reload_triggers: triggers } = artifact;
    if (only?.includes(id) === false) return skipped({ kind: 'not asked for' });
    const trigger = occasion(triggers);
    if (trigger === undefined) return skipped({ kind: 'not triggered' });
    const result = evaluate(condition, state);
    if (result.kind === 'bad') return skipped({ kind: 'condition bad', why: result.why });
    if (!result.value) return skipped({ kind: 'condition false' });
    const since = inContext.findLast((entry) => entry.artifact_id === id)?.loaded_at ?? '';
    // The clock may have been set back since.
    const isRecent = Math.abs(now.getTime() - Date.parse(since)) < FIVE_MINUTES;
    if (isRecent && !force) return skipped({ kind: 'in context', since });
    return { artifact, verdict: 'load', trigger };
  });
}
