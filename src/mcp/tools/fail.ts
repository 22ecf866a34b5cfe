import { sanitizeLine } from '../../util/sanitize.ts';
import { failRun, type FailedStep } from '../../operations/fail.ts';
import { unreachable } from '../../util/unreachable.ts';
import { artifactsReply, runReply } from '../replies.ts';
import { textProperty, makeTool } from '../tool.ts';

export const workflowFail = makeTool({
  name: 'workflow_fail',
  description:
    'Reports that the current step cannot be done. Its template decides what happens: it is tried again, skipped, or ' +
    'the workflow stops; a run without a template is blocked.',
  properties: { reason: textProperty('Why, for the user and for the session that continues') },
  required: ['reason'],
  run: (context, given) => {
    const result = failRun(context, undefined, given.requiredText('reason').trim());
    return {
      ...runReply(context, result, outcomeText(result)),
      ...artifactsReply(result.artifacts),
    };
  },
});

function outcomeText({ failed, outcome, run }: FailedStep): string {
  const what = sanitizeLine(failed);
  if (outcome === null) {
    return `Blocked: ${what}. Once that is resolved, continue with \`holdfast update --status in_progress\`.`;
  }
  switch (outcome.outcome) {
    case 'retry':
      return `Failed: ${what}. It is tried again (retry ${outcome.attempt ?? 1} of ${outcome.of ?? 1}).`;
    case 'skip':
      return `Failed and skipped: ${what}.`;
    case 'abort':
      return `Failed: ${what}, and so did the workflow${outcome.gated === true ? ': its gate cannot be skipped' : ''}. \`holdfast resume ${run.runId}\` continues where it stopped.`;
    default:
      return unreachable(outcome.outcome);
  }
}
