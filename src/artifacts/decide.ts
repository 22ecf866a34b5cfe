import type { RunState } from '../state/types.ts';
import { evaluate } from '../util/conditions.ts';
import { timeAgo } from '../util/relative-time.ts';
import type { TriggerMatcher } from './triggers.ts';
import type { Artifact } from './types.ts';

const FIVE_MINUTES = 300_000;

/** Why an artifact is not loaded now. One that is `in context` still counts as due. */
export interface Skip {
  kind: 'not asked for' | 'not triggered' | 'condition false' | 'condition bad' | 'in context';
  why: string;
}

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
    const skipped = (kind: Skip['kind'], why: string = kind): Decision => ({
      artifact,
      verdict: 'skip',
      skip: { kind, why },
    });
    const { id, condition = 'true', reload_triggers: triggers } = artifact;
    if (only?.includes(id) === false) return skipped('not asked for');
    const trigger = occasion(triggers);
    if (trigger === undefined) {
      const when = triggers.length === 0 ? 'by hand only' : `only at ${triggers.join(', ')}`;
      return skipped('not triggered', `loaded ${when}`);
    }
    const result = evaluate(condition, state);
    if (result.kind === 'bad')
      return skipped('condition bad', `the condition ${condition} cannot be read: ${result.why}`);
    if (!result.value)
      return skipped('condition false', `the condition ${condition} does not hold`);
    const since = inContext.findLast((entry) => entry.artifact_id === id)?.loaded_at ?? '';
    // The clock may have been set back since.
    const isRecent = Math.abs(now.getTime() - Date.parse(since)) < FIVE_MINUTES;
    if (isRecent && !force) return skipped('in context', `loaded ${timeAgo(since, now)}`);
    return { artifact, verdict: 'load', trigger };
  });
}
