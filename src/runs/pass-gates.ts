import { HoldfastError } from '../text/holdfast-error.ts';
import type { RunState } from '../state/types.ts';
import { runGate, type GateResult } from '../templates/gates/run-gate.ts';
import { gatesDue, gatesOf, untilDue } from '../templates/machine/gates.ts';
import { WorkflowStateMachine } from '../templates/machine/machine.ts';
import { parseRun } from '../templates/run-view.ts';
import { isTrusted, readTrust } from '../templates/gates/trust.ts';
import type { Template } from '../templates/template-types.generated.ts';
import type { OperationContext } from '../sessions/open-project.ts';

/** Null if the template has no commands; then the machine is parsed only once, under the lock. */
export function machineWithGates(state: RunState): WorkflowStateMachine | null {
  const run = parseRun(state);
  if (run.kind === 'phases' || gatesOf(run.template).length === 0) return null;
  return WorkflowStateMachine.at(run.template, run.machine, state);
}

/** Whether the next move depends on a gate or an `until` command. */
export function runsCommands(machine: WorkflowStateMachine): boolean {
  return gatesDue(machine).length > 0 || untilDue(machine) !== null;
}

/** Runs every gate of this move and returns those that passed. They may take minutes, so the caller must not hold the lock. */
export async function passGates(
  context: OperationContext,
  run: string,
  machine: WorkflowStateMachine,
  move: 'advance' | 'approve' = 'advance',
): Promise<string[]> {
  const commands = gatesDue(machine, move);
  for (const command of commands) {
    requireTrust(context, run, machine, command);
    const result = await runGate(command, { ...context, run });
    if (result.kind !== 'passed') throw gateError(command, result);
  }
  return commands;
}

/** For the journal: the gates that a move passed. */
export function gateDetails(gates: readonly string[]): { gates?: readonly string[] } {
  return gates.length === 0 ? {} : { gates };
}

/** The result of the `until` command of a ralph step, for the iteration that ends. */
export interface UntilResult {
  command: string;
  isMet: boolean;
  /** Null if the command ran out of time. */
  exitCode: number | null;
  /** The end of what the command printed; empty if it passed. */
  output: string;
}

/** Null if the move does not depend on an `until` command. Like a gate it may take minutes. */
export async function checkUntil(
  context: OperationContext,
  run: string,
  machine: WorkflowStateMachine,
): Promise<UntilResult | null> {
  const command = untilDue(machine);
  if (command === null) return null;
  requireTrust(context, run, machine, command);
  const result = await runGate(command, { ...context, run });
  switch (result.kind) {
    case 'passed':
      return { command, isMet: true, exitCode: 0, output: '' };
    case 'failed':
      return { command, isMet: false, exitCode: result.exitCode, output: result.tail };
    case 'timed_out':
      return { command, isMet: false, exitCode: null, output: result.tail };
    default:
      throw gateError(command, result);
  }
}

/** A move whose result nobody reads would lose the context action it requests. */
export function requireNotCancelled({ signal }: OperationContext, run: string): void {
  if (signal?.aborted === true)
    throw new HoldfastError('cancelled', `request cancelled; ${run} was not advanced`, {
      hint: 'try again',
    });
}

function requireTrust(
  context: OperationContext,
  run: string,
  { template }: WorkflowStateMachine,
  command: string,
): void {
  if (!isTrusted(context, template)) throw gateUntrusted(context, run, template, command);
}

export function gateUntrusted(
  context: OperationContext,
  run: string,
  { name }: Template,
  command: string,
): HoldfastError {
  const { problem } = readTrust(context);
  return new HoldfastError(
    'gate_untrusted',
    `"${name}" is not trusted to run commands here (${command})`,
    {
      hint: `the user can review and trust it with \`holdfast trust ${run}\` in a terminal of their own`,
      ...(problem === null ? {} : { details: problem }),
    },
  );
}

/** A gate that ran and did not pass. */
export type FailedGate =
  | { kind: 'failed'; command: string; exitCode: number; output: string }
  | { kind: 'timed_out'; command: string; seconds: number; output: string };

export class GateFailed extends HoldfastError {
  constructor(readonly gate: FailedGate) {
    const { command, output } = gate;
    const [message, next] =
      gate.kind === 'failed'
        ? [
            `the gate failed with exit code ${gate.exitCode}: ${command}`,
            'fix what the gate reports, then advance again',
          ]
        : [
            `the gate timed out after ${gate.seconds} s: ${command}`,
            'make the command faster, or find out what it waits for',
          ];
    super(`gate_${gate.kind}`, message, {
      hint: `the run was not advanced; ${next}`,
      details: output,
      data: { gate: { command, output } },
    });
  }
}

function gateError(
  command: string,
  result: Exclude<GateResult, { kind: 'passed' }>,
): HoldfastError {
  if (result.kind === 'not_started')
    return new HoldfastError(
      'gate_not_started',
      `the gate could not be started: ${command} (${result.reason})`,
      { hint: 'correct the command in the template, or install what it needs' },
    );
  if (result.kind === 'cancelled')
    return new HoldfastError('gate_cancelled', `gate cancelled: ${command}`, {
      hint: 'the run was not advanced',
    });
  const { tail: output, ...rest } = result;
  return new GateFailed({ ...rest, command, output });
}
