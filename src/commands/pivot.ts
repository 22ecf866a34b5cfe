import { withRun } from '../runs/change-run.ts';
import { requireActive } from '../runs/which-run.ts';
import { machineOf } from '../state/template-run.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import {
  checkedFeedback,
  FEEDBACK_OPTION,
  sendBack,
} from './answer/send-back.ts';
import { command, type Shown } from './command.ts';
import type { PivotDocument } from './json/documents.ts';
import { textOption } from './options.ts';
import { showMoved } from './view/report-run.ts';

export const pivot = command({
  usage: 'pivot <step>',
  about: 'go back to an earlier step, with feedback that survives a /clear',
  examples: [
    'holdfast pivot planning --feedback "the estimate leaves out the migration"',
    'holdfast pivot planning --feedback - < review.md',
  ],
  options: {
    feedback: FEEDBACK_OPTION,
    run: textOption('the run to change', 'run'),
  },
  run: (cli, { step, feedback, run: name }): Shown<PivotDocument> => {
    const text = checkedFeedback(feedback);
    const sent = withRun(cli, name, (run, tx, log) => {
      requireActive(run, 'pivot');
      const machine = machineOf(run);
      if (machine === null) throw noSteps(run.runId);
      return sendBack(cli, { run, tx, log, machine }, text, {
        go: () => machine.pivot(step),
        event: 'pivoted',
        details: { to: step },
      });
    });
    if (sent instanceof HoldfastError) throw sent;
    const { left, from, to, tag, ...moved } = sent;
    const done = `Went back from ${sanitizeLine(left)} to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`;
    return showMoved(cli, moved, { done }, { pivot: { from, to, tag } });
  },
});

function noSteps(runId: string): HoldfastError {
  const message = `${runId} has no template, so it has no steps to go back to`;
  const hint = `set its phase with \`holdfast update ${runId} --phase <n>\`, and keep the feedback with \`holdfast update ${runId} --remind "…"\``;
  return new HoldfastError('no_steps_to_go_back', message, { hint });
}
