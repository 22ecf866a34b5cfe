import { describe } from '../errors/describe.ts';
import type { Failure, HoldfastError } from '../errors/holdfast-error.ts';
import { errorLine } from '../errors/messages.ts';
import { candidateList } from '../errors/runs.ts';
import { sanitizeLine, sanitizeLines } from '../util/sanitize.ts';

/** The failure and what to do about it, for an agent that has tools rather than a command line. */
export function refusalText({ failure }: HoldfastError): string {
  const { message, hint, details = '' } = describe(failure);
  const line = sanitizeLine(errorLine({ message, hint: hintFor(failure) ?? hint }));
  return details === '' ? line : `${line}\n\n${sanitizeLines(details).join('\n')}`;
}

function hintFor(failure: Failure): string | undefined {
  switch (failure.code) {
    case 'no_workflow':
      if (failure.unreadable !== undefined && failure.unreadable.length > 0) return undefined;
      if (failure.ended !== undefined)
        return `start another with workflow_start, or bring it back with \`holdfast reopen ${failure.ended.run}\``;
      return failure.also.length === 0
        ? 'start one with workflow_start'
        : `start one with workflow_start, or continue one that is not active with \`holdfast resume <run>\`: ${failure.also.join(', ')}`;
    case 'ambiguous_run':
      return `continue one with \`holdfast resume <run>\`, or start another with workflow_start: ${candidateList(failure.runs)}`;
    case 'all_held':
      return 'start one of your own with workflow_start, or take one with `holdfast resume <run> --force`';
    case 'session_busy':
      return 'workflow_status shows where it stands; finish it with workflow_advance, or release it with `holdfast release`';
    case 'no_template':
      return 'continue with workflow_advance, or start a run of a template with workflow_start';
    case 'waiting_for_tasks':
      return `set them with workflow_set_tasks (loop_id "${failure.loop}")${failure.gated ? '' : '; an empty list skips the step'}`;
    case 'workflow_over':
      return failure.status === 'complete' ? 'start another with workflow_start' : undefined;
    case 'moved_meanwhile':
      return 'workflow_status shows where it stands now';
    default:
      return undefined;
  }
}
