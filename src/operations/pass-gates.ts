import { HoldfastError } from '../errors/holdfast-error.ts';
import type { RunState } from '../state/types.ts';
import { runGate, type GateResult } from '../workflow/gates/run-gate.ts';
import { gatesDue, gatesOf } from '../workflow/machine/gates.ts';
import { WorkflowStateMachine } from '../workflow/machine/machine.ts';
import { parseRun } from '../workflow/run.ts';
import { isTrusted, readTrust } from '../workflow/gates/trust.ts';
import type { OperationContext } from './context.ts';

/** Null where the template has no gates: then a run is looked at once only, when it is moved. */
export function machineWithGates(state: RunState): WorkflowStateMachine | null {
  const run = parseRun(state);
  if (run.kind === 'phases' || gatesOf(run.template).length === 0) return null;
  return WorkflowStateMachine.at(run.template, run.machine);
}

/** Every gate that this move has to pass. They may take minutes, so nothing is locked meanwhile. */
export async function passGates(
  desk: OperationContext,
  run: string,
  machine: WorkflowStateMachine,
): Promise<void> {
  const gates = gatesDue(machine);
  if (gates.length === 0) return;
  const { template } = machine;
  const [first = ''] = gates;
  if (!isTrusted(desk, template)) {
    const { problem } = readTrust(desk);
    throw new HoldfastError({
      code: 'gate_untrusted',
      template: template.name,
      command: first,
      run,
      problem,
    });
  }
  for (const command of gates) {
    const result = await runGate(command, desk);
    if (result.kind !== 'passed') throw refusal(command, result);
  }
}

/** Nobody would learn what the move asks for. */
export function requireNotCancelled({ signal }: OperationContext, run: string): void {
  if (signal?.aborted === true) throw new HoldfastError({ code: 'cancelled', run });
}

function refusal(command: string, result: Exclude<GateResult, { kind: 'passed' }>): HoldfastError {
  if (result.kind === 'not_started') {
    return new HoldfastError({ code: 'gate_not_started', command, reason: result.reason });
  }
  if (result.kind === 'cancelled') return new HoldfastError({ code: 'gate_cancelled', command });
  const { tail: output } = result;
  return result.kind === 'timed_out'
    ? new HoldfastError({ code: 'gate_timed_out', command, seconds: result.seconds, output })
    : new HoldfastError({ code: 'gate_failed', command, exitCode: result.exitCode, output });
}
