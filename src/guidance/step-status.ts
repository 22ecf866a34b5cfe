import type { RunState } from '../state/types.ts';
import { sanitizeLine, withoutFeedbackTags } from '../text/sanitize.ts';
import { openFeedback } from '../templates/machine/feedback.ts';
import { statusOf, type Status } from '../templates/machine/status.ts';
import { parseRun } from '../templates/run-view.ts';
import { feedbackLines } from './feedback.ts';

export function stepStatus(state: RunState): Status | null {
  const run = parseRun(state);
  return run.kind === 'template'
    ? withOpenFeedback(state, statusOf({ template: run.template, facts: state }, run.machine))
    : null;
}

const MAX_FEEDBACK = 8_000;

/** Open feedback belongs to the instructions of the step that it sent the work back to. */
export function withOpenFeedback(state: RunState, status: Status): Status {
  const open = status.status === 'running' ? openFeedback(state, status.step) : [];
  const instructions = withoutFeedbackTags(status.instructions);
  if (open.length === 0) return { ...status, instructions };
  const max = Math.floor(MAX_FEEDBACK / open.length);
  const feedback = open.map((entry) =>
    feedbackLines(entry, max, `holdfast show ${sanitizeLine(state.run_id ?? '<run>')}`).join('\n'),
  );
  return { ...status, instructions: [instructions.trimEnd(), ...feedback].join('\n\n') };
}
