import { describe } from '../../errors/describe.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { errorLine } from '../../errors/messages.ts';
import { advanceRun } from '../../operations/advance.ts';
import { dropRequest } from '../../operations/drive.ts';
import { failRun } from '../../operations/fail.ts';
import { machineWithGates } from '../../operations/pass-gates.ts';
import type { RequestedAdvance } from '../../operations/requested-advance.ts';
import type { StoredRun } from '../../state/types.ts';
import { gatesDue } from '../../workflow/machine/gates.ts';
import { DEFAULT_RETRIES } from '../../workflow/machine/machine-state.ts';
import { retriesLeft } from '../../workflow/machine/transitions.ts';
import type { TemplateRun } from '../../workflow/run.ts';
import type { DriveContext } from '../drive-context.ts';
import { gateFailedPrompt, howItFailed, type GateFailure } from '../turn/prompts.ts';

/** What came of a move that the agent has asked for. */
export type MoveResult =
  | { kind: 'moved' }
  /** The agent has to do more; this is what it is told. */
  | { kind: 'back_to_agent'; prompt: string }
  /** The step has failed; its template has decided what happens. */
  | { kind: 'failed' }
  | { kind: 'interrupted' }
  | { kind: 'refused'; message: string; hint: string };

export interface MoveInput {
  run: StoredRun;
  templateRun: TemplateRun;
  step: string;
  entry: string;
  session: string | null;
  request: RequestedAdvance;
}

/** Runs the gate and the `until` command of the step and moves the run if they allow it. */
export async function performMove(context: DriveContext, input: MoveInput): Promise<MoveResult> {
  const { runId, signal, emit } = context;
  const { run, session, request, step } = input;
  const machine = machineWithGates(run.state);
  const gates = machine === null ? [] : gatesDue(machine);
  try {
    const { until } = await advanceRun({ ...context.open(session), signal }, runId, request);
    for (const command of gates)
      emit({ event: 'gate', step, result: 'passed', command, output: '' });
    if (until !== null) emit({ event: 'until', step, command: until.command, met: until.isMet });
    context.record.update({ gateFailures: null });
    return { kind: 'moved' };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    const { failure } = error;
    switch (failure.code) {
      case 'gate_failed':
        return gateFailed(context, input, { ...failure, kind: 'failed' });
      case 'gate_timed_out':
        return gateFailed(context, input, { ...failure, kind: 'timed_out' });
      case 'moved_meanwhile':
        return { kind: 'moved' };
      case 'gate_cancelled':
      case 'cancelled':
        return { kind: 'interrupted' };
      case 'artefacts_missing':
      case 'artifact_missing': {
        const why = errorLine(describe(failure));
        dropRequest(context.open(session), runId, { event: 'advance_refused', reason: why });
        return { kind: 'back_to_agent', prompt: `The holdfast run ${runId} did not move: ${why}` };
      }
      default:
        return { kind: 'refused', ...describe(failure) };
    }
  }
}

/**
 * The failure goes back to the agent as often as the template allows. Where the step is retried anyway, each failed gate
 * is one of its tries.
 */
function gateFailed(context: DriveContext, input: MoveInput, failure: GateFailure): MoveResult {
  const { runId, record, emit } = context;
  const { templateRun, step, entry, session } = input;
  const { command, output } = failure;
  emit({ event: 'gate', step, result: failure.kind, command, output });
  const reason = `the gate \`${command}\` ${howItFailed(failure)}`;
  const { template, machine } = templateRun;
  const retries = retriesLeft(template, machine);
  if (retries !== null) {
    const { outcome } = failRun(context.open(session), runId, reason);
    if (outcome?.outcome !== 'retry') return { kind: 'failed' };
    return { kind: 'back_to_agent', prompt: gateFailedPrompt(runId, failure, retries) };
  }
  const allowed = template.max_retries ?? DEFAULT_RETRIES;
  const before = record.memory.gateFailures;
  const count = before !== null && before.entry === entry ? before.count + 1 : 1;
  record.update({ gateFailures: { entry, count } });
  if (count > allowed) {
    failRun(context.open(session), runId, reason);
    return { kind: 'failed' };
  }
  dropRequest(context.open(session), runId, { event: 'gate_failed', command, reason });
  return { kind: 'back_to_agent', prompt: gateFailedPrompt(runId, failure, allowed - count + 1) };
}
