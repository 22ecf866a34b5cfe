import { sanitizeLine } from '../../util/sanitize.ts';
import { failRun, type FailedStep } from '../../operations/fail.ts';
import { unreachable } from '../../util/unreachable.ts';
import { runReply } from '../replies.ts';
import { aText, makeTool } from '../tool.ts';

export const workflowFail = makeTool({
  name: 'workflow_fail',
  description:
    'Says that the current step cannot be done. Its template decides what happens: it is tried again, skipped, or the ' +
    'workflow stops; a plain run is blocked.',
  properties: { reason: aText('Why, for the user and for whoever goes on') },
  required: ['reason'],
  run: (context, given) => {
    const result = failRun(context, undefined, given.requiredText('reason').trim());
    return runReply(context, result, outcomeWords(result));
  },
});

function outcomeWords({ failed, outcome, run }: FailedStep): string {
  const what = sanitizeLine(failed);
  if (outcome === null) {
    return `Blocked: ${what}. \`holdfast update --status in_progress\` goes on once that is solved.`;
  }
  switch (outcome.outcome) {
    case 'retry':
      return `Failed: ${what}. It is tried again (retry ${outcome.attempt ?? 1} of ${outcome.of ?? 1}).`;
    case 'skip':
      return `Failed and skipped: ${what}.`;
    case 'abort':
      return `Failed: ${what}, and with it the workflow${outcome.gated === true ? ': its gate cannot be skipped' : ''}. \`holdfast resume ${run.runId}\` goes on where it stopped.`;
    default:
      return unreachable(outcome.outcome);
  }
}
