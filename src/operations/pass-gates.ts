import { HoldfastError } from '../errors/holdfast-error.ts';
import type { RunState } from '../state/types.ts';
import { runGate, type GateResult } from '../workflow/gates/run-gate.ts';
import { gatesDue, gatesOf } from '../workflow/machine/gates.ts';
import { WorkflowStateMachine } from '../workflow/machine/machine.ts';
import { parseRun } from '../workflow/run.ts';
import { isTrusted, readTrust } from '../workflow/gates/trust.ts';
import type { OperationContext } from './open-project.ts';

/** Null if the template has no gates; then the machine is parsed only once, under the lock. */
export function machineWithGates(state: RunState): WorkflowStateMachine | null {
  const run = parseRun(state);
  if (run.kind === 'phases' || gatesOf(run.template).length === 0) return null;
  return WorkflowStateMachine.at(run.template, run.machine);
}

/** Runs every gate of this move. Gates may take minutes, so the caller must not hold the lock. */
export async function passGates(
  context: OperationContext,
  run: string,
  machine: WorkflowStateMachine,
): Promise<void> {
  const gates = gatesDue(machine);
  if (gates.length === 0) return;
  const { template } = machine;
  const [first = ''] = gates;
  if (!isTrusted(context, template)) {
    const { problem } = readTrust(context);
    throw new HoldfastError({
      code: 'gate_untrusted',
      template: template.name,
      command: first,
      run,
      problem,
    });
  }
  for (const command of gates) {
    const result = await runGate(command, { ...context, run });
    if (result.kind !== 'passed') throw gateError(command, result);
  }
}

/** A move whose result nobody reads would lose the context action it requests. */
export function requireNotCancelled({ signal }: OperationContext, run: string): void {
  if (signal?.aborted === true) throw new HoldfastError({ code: 'cancelled', run });
}

function gateError(
  command: string,
  result: Exclude<GateResult, { kind: 'passed' }>,
): HoldfastError {
  if (result.kind === 'not_started') {
    return new HoldfastError({ code: 'gate_not_started', command, reason: result.reason });
  }
  if (result.kind === 'cancelled') return new HoldfastError({ code: 'gate_cancelled', command });
  const { tail: output } = result;
  return result.kind === 'timed_out'
    ? new HoldfastError({ code: 'gate_timed_out', command, seconds: result.seconds, output })
    : new HoldfastError({ code: 'gate_failed', command, exitCode: result.exitCode, output });
}
