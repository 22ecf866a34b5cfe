import { unreachable } from '../text/unreachable.ts';
import type { NextAction, StopReason } from '../templates/next.ts';
import type { Report } from './report.ts';

type Performed = Exclude<NextAction['perform'], 'none'>;

/** The line beside the user's own status line: workflow, phase or step, what it waits for. */
export function statusText({ workflow, place, next }: Report): string {
  const waitsFor = next.stop === null ? null : waitText(next.stop);
  return [workflow, place, waitsFor].filter((part) => part !== null && part !== '').join(' · ');
}

export function performedText(action: Performed, { step, workflow }: Report): string {
  const done = action === 'clear' ? 'Cleared' : 'Compacted';
  return `${done} the conversation because step ${step} of ${workflow} starts that way. Use /holdfast:ask to do this yourself.`;
}

export function failedText(action: Performed, reason: string): string {
  return `Could not run /${action} for you: ${reason}. Type /${action} yourself, then tell the agent to continue.`;
}

export function unseenText(action: Performed): string {
  return `Ran /${action}, but the hooks of holdfast did not see it. Run \`holdfast doctor\`; the run waits for you.`;
}

export function notSubmittedText(reason: string): string {
  return `Could not prompt the agent for the next step: ${reason}. Tell the agent to continue.`;
}

export function stoppedText(stop: StopReason, { workflow, place }: Report): string {
  return `${workflow} stops at ${place}: ${waitText(stop)}.`;
}

function waitText(stop: StopReason): string {
  switch (stop) {
    case 'done':
      return 'finished';
    case 'approval':
      // Not the answers themselves: they need the run's name, and at the limit of pivots there is only one.
      return 'waits for your approval (`holdfast status` in a terminal shows how to answer)';
    case 'tasks':
      return 'waits for its tasks';
    case 'blocked':
      return 'blocked';
    case 'failed':
      return 'failed';
    case 'limit':
      return 'the limit of retries or pivots is reached';
    case 'paused':
      return 'paused';
    case 'waiting':
      return 'waits for you';
    default:
      return unreachable(stop);
  }
}
