import { withRun } from '../runs/change-run.ts';
import { machineAtWait } from '../runs/find-wait.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import {
  ANSWER_OPTIONS,
  answererField,
  requireAnswerByPerson,
  showRepeated,
  waitToAnswer,
  wakeHolder,
} from './answer/answer-wait.ts';
import {
  checkedFeedback,
  FEEDBACK_OPTION,
  sendBack,
} from './answer/send-back.ts';
import { command, type Shown } from './command.ts';
import type {
  PivotDocument,
  RepeatedAnswerDocument,
} from './json/documents.ts';
import { continuation, showMoved } from './view/report-run.ts';

export const reject = command({
  usage: 'reject [run]',
  about:
    'send the work of an approval step back with feedback (only you: here, or as /holdfast:reject in Claude Code)',
  examples: ['holdfast reject --feedback "the plan leaves out the migration"'],
  takesProof: true,
  options: { feedback: FEEDBACK_OPTION, ...ANSWER_OPTIONS },
  run: async (
    cli,
    { run: name, feedback, for: named, by: who },
  ): Promise<Shown<PivotDocument | RepeatedAnswerDocument>> => {
    requireAnswerByPerson(cli, 'reject', name);
    const text = checkedFeedback(feedback);
    const waiting = await waitToAnswer(cli, name, 'reject', named);
    const { wait } = waiting;
    if (waiting.isRepeated)
      return showRepeated(cli, waiting.run, 'reject', wait);

    const sent = withRun(cli, waiting.run.runId, (run, tx, log) => {
      const machine = machineAtWait(run, 'reject', wait);
      // Somebody has given the same answer since it was asked for.
      if (machine === null) return { repeated: run };
      return sendBack(cli, { run, tx, log, machine }, text, {
        go: () => machine.reject(),
        event: 'rejected',
        details: { wait, ...answererField(who) },
      });
    });
    if (sent instanceof HoldfastError) throw sent;
    if ('repeated' in sent)
      return showRepeated(cli, sent.repeated, 'reject', wait);

    const { from, to, tag, ...moved } = sent;
    wakeHolder(cli, moved.run);
    const done = `Rejected ${sanitizeLine(from)}: the work goes back to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`;
    const next = continuation(cli, moved.run);
    const change = { done, isMove: false, next };
    return showMoved(cli, moved, change, { pivot: { from, to, tag } });
  },
});
