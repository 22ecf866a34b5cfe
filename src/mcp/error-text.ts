import { describe } from '../errors/describe.ts';
import type { Failure, HoldfastError } from '../errors/holdfast-error.ts';
import { errorLine } from '../errors/messages.ts';
import { sanitizeLine, sanitizeLines } from '../util/sanitize.ts';

/** What went wrong and what to do, in the words of somebody who has tools rather than a command line. */
export function refusalText({ failure }: HoldfastError): string {
  const { message, hint, details = '' } = describe(failure);
  const sentence = sanitizeLine(errorLine({ message, hint: hintFor(failure) ?? hint }));
  return details === '' ? sentence : `${sentence}\n\n${sanitizeLines(details).join('\n')}`;
}

function hintFor(failure: Failure): string | undefined {
  switch (failure.code) {
    case 'no_workflow':
      return failure.also.length === 0
        ? 'start one with workflow_start'
        : `start one with workflow_start; not active: ${failure.also.join(', ')}, which \`holdfast resume <run>\` goes on with`;
    case 'ambiguous_run':
      return `take one with \`holdfast claim <run>\`, or start another with workflow_start: ${failure.runs.join(', ')}`;
    case 'all_held':
      return 'start one of your own with workflow_start, or take one with `holdfast claim <run> --force`';
    case 'session_busy':
      return `workflow_status tells where it stands; finish it with workflow_advance, or let go of it with \`holdfast release\``;
    case 'no_template':
      return 'go on with workflow_advance, or start a run of a template with workflow_start';
    case 'waiting_for_tasks':
      return `give them with workflow_set_tasks (loop_id "${failure.loop}")${failure.gated ? '' : '; an empty list skips the step'}`;
    case 'workflow_over':
      return failure.status === 'complete' ? 'start another with workflow_start' : undefined;
    case 'moved_meanwhile':
      return 'workflow_status tells where it stands now';
    default:
      return undefined;
  }
}
