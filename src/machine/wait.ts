import { canonicalJson } from '../text/json.ts';
import { digestOf } from '../text/slug.ts';
import type { Answer, MachineContext, MachineState } from './machine-state.ts';

/** Short enough to be typed, long enough that two things that wait in one run never share an id by chance. */
const DIGEST_DIGITS = 8;

/** A repeated answer comes within minutes or hours of the first one, so only the last ones are kept. */
const MAX_ANSWERS = 20;

/**
 * Names what waits for the user's answer at an approval step, such as `agree@21f0c3a9e` in a run that was sent back twice.
 * An answer counts for this alone, so the id follows from what the user judges (outputs and files) and from how the run
 * came here: how often it was sent back, and the answer before. It does not follow from anything that changes without
 * that, such as the number of writes, which a compaction raises as well. The run is part of it, because two runs of a
 * template may have equal outputs.
 */
export function waitId(
  { facts }: Pick<MachineContext, 'facts'>,
  state: MachineState,
): string {
  const { step, pivots = 0, outputs, artefacts, answered = [] } = state;
  const before = answered.at(-1)?.wait ?? null;
  const parts = {
    run: facts['run_id'],
    step,
    pivots,
    outputs,
    artefacts,
    before,
  };
  // Keys in one order: a run that came from another machine may have them in another.
  const digest = digestOf(canonicalJson(parts, 0));
  // The number stands outside the digest, too: only by going back can an agent exchange the work that somebody looks at, and
  // two outputs with one digest are found in seconds.
  return `${step}@${pivots}${digest.slice(-DIGEST_DIGITS)}`;
}

/** The state with the answer to what waits now. */
export function withAnswer(
  context: Pick<MachineContext, 'facts'>,
  state: MachineState,
  as: Answer['as'],
): MachineState {
  const answer: Answer = { wait: waitId(context, state), as };
  const answered = [...(state.answered ?? []), answer].slice(-MAX_ANSWERS);
  return { ...state, answered };
}
