import { unreachable } from '../../util/unreachable.ts';
import { fenced, sanitizeLine } from '../../util/sanitize.ts';

/** Sent after a turn that has neither moved the run nor asked for a move. */
export function askAgainPrompt(runId: string): string {
  return [
    `Your turn has ended, but the step of the holdfast run ${runId} is not finished: the run has not moved.`,
    'If the work of this step is done, run `holdfast advance`. If it cannot be done, run `holdfast fail --reason "…"`. Otherwise finish it now.',
    'If you cannot run these commands, report with the structured result instead: `done: true` with an `output`, or `done: false` with a `reason`.',
  ].join('\n');
}

/** A gate as the agent has to know about it. */
export type GateFailure =
  | { kind: 'failed'; command: string; exitCode: number; output: string }
  | { kind: 'timed_out'; command: string; seconds: number; output: string };

/** What a command printed is data: it stands in a fence, and nothing in it can pass for words of holdfast. */
export function gateFailedPrompt(
  runId: string,
  failure: GateFailure,
  failuresLeft: number,
): string {
  const { command, output } = failure;
  const tries =
    failuresLeft <= 1
      ? 'If it fails again, the step counts as failed.'
      : `After ${failuresLeft} more failures the step counts as failed.`;
  return [
    `The holdfast run ${runId} did not move: the gate \`${sanitizeLine(command)}\` ${howItFailed(failure)}.`,
    ...(output.trim() === '' ? [] : ['The end of what it printed:', fenced(output)]),
    `Correct the cause, then run \`holdfast advance\` again. ${tries}`,
  ].join('\n');
}

export function howItFailed(failure: GateFailure): string {
  switch (failure.kind) {
    case 'failed':
      return `exited with ${failure.exitCode}`;
    case 'timed_out':
      return `did not end within ${failure.seconds} seconds`;
    default:
      return unreachable(failure);
  }
}

/** What the client is told about an agent that has no definition of its own. */
export function agentPrompt(agent: string, description: string): string {
  return [
    `You are the agent "${sanitizeLine(agent)}": ${sanitizeLine(description)}`,
    'You work on one step of a holdfast run yourself, without delegating it. `holdfast status` shows the instructions, `holdfast advance` finishes the step.',
  ].join('\n');
}
