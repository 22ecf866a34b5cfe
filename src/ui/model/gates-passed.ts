import type { JournalEvent } from '../../state/journal.ts';
import type { RunState } from '../../state/types.ts';
import { loopsOf } from '../../workflow/machine/loops.ts';
import { inspectRun } from '../../workflow/run.ts';

/** The journal names what was finished like this: `step 2 of 5 (build), task 1 of 3 (Title), sub-step code`. */
const FINISHED_STEP = /^step \d+ of \d+ \((.+?)\)(?:, .*sub-step (\S+))?/s;

/**
 * Finds the gates that a move passed. The journal does not list them, but nothing moves past a gate that fails, so the
 * gates of a finished step have passed.
 */
export function gatesPassed(state: RunState): (event: JournalEvent) => string[] {
  const run = inspectRun(state);
  if (run.kind !== 'template') return () => [];
  const { template } = run;
  return ({ event, finished }) => {
    if (event !== 'advanced' || typeof finished !== 'string') return [];
    const [, stepId, subStepId] = FINISHED_STEP.exec(finished) ?? [];
    const step = template.steps.find(({ id }) => id === stepId);
    if (step === undefined) return [];
    const subSteps = loopsOf(template).get(step.id)?.subSteps ?? [];
    const gate =
      step.type === 'loop' ? subSteps.find(({ id }) => id === subStepId)?.gate : step.gate;
    return gate === undefined ? [] : [gate];
  };
}
