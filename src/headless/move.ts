import { type RequestedAdvance, advanceRun } from '../runs/advance.ts';
import { failRun } from '../runs/move-run.ts';
import { type FailedGate, GateFailed } from '../runs/pass-gates.ts';
import { gatesDue } from '../templates/machine/gates.ts';
import { DEFAULT_RETRIES } from '../templates/machine/machine-state.ts';
import { retriesLeft } from '../templates/machine/transitions.ts';
import { machineWithGates } from '../templates/template-run.ts';
import { HoldfastError, errorLine } from '../text/holdfast-error.ts';
import { fenced, sanitizeLine } from '../text/sanitize.ts';
import type { DriveContext } from './context.ts';
import { dropRequest } from './run-changes.ts';
import type { StepAt } from './step.ts';
import { INTERRUPTED, type Stop } from './stop.ts';

/** What came of a move that the agent has asked for. */
export type MoveResult =
  /** The run has moved, or the step has failed and its template has decided what happens. */
  | { kind: 'moved' }
  /** The agent has to do more; this is what it is told. */
  | { kind: 'back_to_agent'; prompt: string }
  | { kind: 'stop'; stop: Stop };

/** Runs the gate and the `until` command of the step and moves the run if they allow it. */
export async function performMove(
  context: DriveContext,
  at: StepAt,
  session: string | null,
  request: RequestedAdvance,
): Promise<MoveResult> {
  const { runId, signal, emit } = context;
  const { step } = at.machine;
  const machine = machineWithGates(at.state);
  const gates = machine === null ? [] : gatesDue(machine);
  try {
    const { until } = await advanceRun({ ...context.open(session), signal }, runId, request);
    for (const command of gates)
      emit({ event: 'gate', step, result: 'passed', command, output: '' });
    if (until !== null) emit({ event: 'until', step, command: until.command, met: until.met });
    context.record.update({ gateFailures: null });
    return { kind: 'moved' };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    if (error instanceof GateFailed) return gateFailed(context, at, session, error.gate);
    switch (error.code) {
      case 'moved_meanwhile':
        return { kind: 'moved' };
      case 'gate_cancelled':
      case 'cancelled':
        return { kind: 'stop', stop: INTERRUPTED };
      case 'artefacts_missing':
      case 'artifact_missing': {
        const why = errorLine(error);
        dropRequest(context.open(session), runId, { event: 'advance_refused', reason: why });
        return { kind: 'back_to_agent', prompt: `The holdfast run ${runId} did not move: ${why}` };
      }
      default: {
        const { message, hint } = error;
        return { kind: 'stop', stop: { reason: 'failed', message, advice: hint } };
      }
    }
  }
}

function howItFailed(gate: FailedGate): string {
  return gate.kind === 'timed_out'
    ? `did not end within ${gate.seconds} seconds`
    : `exited with ${gate.exitCode}`;
}

/** The failure goes back to the agent as often as the template allows; a failed gate is one of the tries of its step. */
function gateFailed(
  context: DriveContext,
  at: StepAt,
  session: string | null,
  gate: FailedGate,
): MoveResult {
  const { runId, record, emit } = context;
  const { kind: result, command, tail: output } = gate;
  const { entry } = at;
  emit({ event: 'gate', step: at.machine.step, result, command, output });
  const reason = `the gate \`${command}\` ${howItFailed(gate)}`;
  const back = (failuresLeft: number): MoveResult => ({
    kind: 'back_to_agent',
    prompt: gateFailedPrompt(runId, gate, failuresLeft),
  });
  const retries = retriesLeft(at);
  if (retries !== null) {
    const { outcome } = failRun(context.open(session), runId, reason);
    return outcome?.outcome === 'retry' ? back(retries) : { kind: 'moved' };
  }
  const allowed = at.template.max_retries ?? DEFAULT_RETRIES;
  const before = record.memory.gateFailures;
  const count = (before?.entry === entry ? before.count : 0) + 1;
  record.update({ gateFailures: { entry, count } });
  if (count > allowed) {
    failRun(context.open(session), runId, reason);
    return { kind: 'moved' };
  }
  dropRequest(context.open(session), runId, { event: 'gate_failed', command, reason });
  return back(allowed - count + 1);
}

/** What a command printed is data: it stands in a fence, and nothing in it can pass for words of holdfast. */
function gateFailedPrompt(runId: string, gate: FailedGate, failuresLeft: number): string {
  const { command, tail: output } = gate;
  const tries =
    failuresLeft <= 1
      ? 'If it fails again, the step counts as failed.'
      : `After ${failuresLeft} more failures the step counts as failed.`;
  return [
    `The holdfast run ${runId} did not move: the gate \`${sanitizeLine(command)}\` ${howItFailed(gate)}.`,
    ...(output.trim() === '' ? [] : ['The end of what it printed:', fenced(output)]),
    `Correct the cause, then run \`holdfast advance\` again. ${tries}`,
  ].join('\n');
}
