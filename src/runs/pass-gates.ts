import type { Project } from '../sessions/open-project.ts';
import { machineOf } from '../state/template-run.ts';
import type { Run } from '../state/types.ts';
import { type GateResult, runGate } from '../templates/gates/run-gate.ts';
import { isTrusted, readTrust } from '../templates/gates/trust.ts';
import { gatesDue, untilDue } from '../machine/gates.ts';
import type { WorkflowStateMachine } from '../machine/machine.ts';
import type { Template } from '../machine/template-types.generated.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sameJson } from '../text/json.ts';
import { asWord, quoted } from '../text/sanitize.ts';

const MAX_COMMAND = 300;

interface PassOptions {
  move?: 'advance' | 'approve';
  /** Ends the gates if the caller does not wait any more. */
  signal?: AbortSignal | undefined;
}

/** Runs every gate of this move and returns those that passed. They may take minutes, so the caller must not hold the lock. */
export async function passGates(
  project: Project,
  run: string,
  machine: WorkflowStateMachine,
  { move = 'advance', signal }: PassOptions = {},
): Promise<string[]> {
  const commands = gatesDue(machine, move);
  for (const command of commands) {
    const result = await runTrusted(project, run, machine, command, signal);
    if (result.kind !== 'passed')
      throw new GateFailed({ ...result, command, move });
  }
  return commands;
}

/** The result of the `until` command of a ralph step, for the iteration that ends. */
export interface UntilResult {
  command: string;
  met: boolean;
  /** Null if the command ran out of time. */
  exit_code: number | null;
  /** The end of what the command printed; empty if it passed. */
  output: string;
}

/** Null if the move does not depend on an `until` command. Like a gate it may take minutes. */
export async function checkUntil(
  project: Project,
  run: string,
  machine: WorkflowStateMachine,
  { signal }: Pick<PassOptions, 'signal'> = {},
): Promise<UntilResult | null> {
  const command = untilDue(machine);
  if (command === null) return null;
  const result = await runTrusted(project, run, machine, command, signal);
  if (result.kind === 'passed')
    return { command, met: true, exit_code: 0, output: '' };
  const code = result.kind === 'failed' ? result.exitCode : null;
  return { command, met: false, exit_code: code, output: result.tail };
}

/** Another writer may have moved the run while its gate ran; then the gate has checked a different step. */
export function requireSamePosition(
  run: Run,
  before: WorkflowStateMachine,
): void {
  const { runId } = run;
  const current = machineOf(run);
  if (current !== null && sameJson(positionIn(before), positionIn(current)))
    return;
  const message = `${runId} was advanced by another process while its gate ran`;
  throw new HoldfastError('moved_meanwhile', message, {
    hint: '`holdfast status` shows where it stands now',
    toolHint: 'workflow_status shows where it stands now',
  });
}

function positionIn({ state }: WorkflowStateMachine): object {
  const { step, task, subStep, ralphIteration } = state;
  return { step, task: task?.id, subStep, ralphIteration };
}

type Ended = Exclude<GateResult, { kind: 'not_started' | 'cancelled' }>;

async function runTrusted(
  project: Project,
  run: string,
  { template }: WorkflowStateMachine,
  command: string,
  signal: AbortSignal | undefined,
): Promise<Ended> {
  if (!isTrusted(project, template))
    throw gateUntrusted(project, run, template, command);
  const { root, environment } = project;
  const result = await runGate(command, { root, environment, run, signal });
  if (result.kind === 'not_started')
    throw new HoldfastError(
      'gate_not_started',
      `the gate could not be started: ${asWord(command, MAX_COMMAND)} (${result.reason})`,
      { hint: 'correct the command in the template, or install what it needs' },
    );
  if (result.kind === 'cancelled')
    throw new HoldfastError(
      'gate_cancelled',
      `gate cancelled: ${asWord(command, MAX_COMMAND)}`,
      {
        hint: 'the run was not advanced',
      },
    );
  return result;
}

export function gateUntrusted(
  project: Pick<Project, 'root' | 'config'>,
  run: string,
  { name }: Template,
  command: string,
): HoldfastError {
  const message = `${quoted(name)} is not trusted to run commands here (${asWord(command, MAX_COMMAND)})`;
  const hint = `the user can review it and trust it for this project with \`holdfast trust ${run}\` in a terminal of their own`;
  const details = readTrust(project).problem ?? '';
  return new HoldfastError('gate_untrusted', message, { hint, details });
}

export type FailedGate = Exclude<Ended, { kind: 'passed' }> & {
  command: string;
  move: string;
};

export class GateFailed extends HoldfastError {
  constructor(readonly gate: FailedGate) {
    const { command, move, tail } = gate;
    const [message, next] =
      gate.kind === 'failed'
        ? [
            `the gate failed with exit code ${gate.exitCode}: ${asWord(command, MAX_COMMAND)}`,
            `fix what the gate reports, then ${move} again`,
          ]
        : [
            `the gate timed out after ${gate.seconds} s: ${asWord(command, MAX_COMMAND)}`,
            'make the command faster, or find out what it waits for',
          ];
    super(`gate_${gate.kind}`, message, {
      hint: `the run was not advanced; ${next}`,
      details: tail,
      data: { gate: { command, output: tail } },
    });
  }
}
