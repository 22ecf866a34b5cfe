import { join } from 'node:path';
import fse from 'fs-extra';
import { advanceRun } from '../runs/advance.ts';
import {
  type RequestedAdvance,
  withoutRequest,
} from '../runs/requested-advance.ts';
import { failRun } from '../runs/fail-run.ts';
import { type FailedGate, GateFailed } from '../runs/pass-gates.ts';
import { gatesDue } from '../machine/gates.ts';
import { DEFAULT_RETRIES } from '../machine/machine-state.ts';
import { retriesLeft } from '../machine/position.ts';
import { machineWithGates } from '../state/template-run.ts';
import { HoldfastError, errorLine } from '../text/holdfast-error.ts';
import { fenced, quoted } from '../text/sanitize.ts';
import { appendLine } from '../files/atomic-write.ts';
import { holdBy, transact, withActor, withRun } from '../runs/change-run.ts';
import { findTargetRun, requireActive } from '../runs/which-run.ts';
import { holderOf, releaseRun } from '../sessions/holder.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import type { NewEvent } from '../state/journal.ts';
import { journalLine } from '../state/store/journal-files.ts';
import { archivedJournal } from '../state/paths.ts';
import type { Hold, Run } from '../state/types.ts';
import { contextActionHappened } from '../state/progress.ts';
import { heldByLiveSession, type DriveContext } from './setup.ts';
import type { StepAt } from './run-now.ts';
import { INTERRUPTED, type Stop } from './stop.ts';
import { withState } from '../state/run.ts';

/** What the agent is told if it has to do more, or why the driver stops. Null if the run has moved or the step has failed. */
export type MoveResult = { prompt: string } | { stop: Stop } | null;

/** Runs the gate and the `until` command of the step and moves the run if they allow it. */
export async function performMove(
  context: DriveContext,
  at: StepAt,
  session: string | null,
  request: RequestedAdvance,
): Promise<MoveResult> {
  const { runId, signal, emit } = context;
  const { step } = at.machine;
  const machine = machineWithGates(at);
  const gates = machine === null ? [] : gatesDue(machine);
  try {
    const project = context.open(session);
    const target = findTargetRun(project, runId);
    const { until } = await advanceRun(project, project.caller, target, {
      ...request,
      signal,
    });
    for (const command of gates)
      emit({ event: 'gate', step, result: 'passed', command, output: '' });
    if (until !== null)
      emit({ event: 'until', step, command: until.command, met: until.met });
    context.record.update({ gateFailures: null });
    return null;
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    if (error instanceof GateFailed)
      return gateFailed(context, at, session, error.gate);
    return moveRefused(context, session, error);
  }
}

function moveRefused(
  { runId, open }: DriveContext,
  session: string | null,
  error: HoldfastError,
): MoveResult {
  switch (error.code) {
    case 'moved_meanwhile':
      return null;
    case 'gate_cancelled':
    case 'cancelled':
      return { stop: INTERRUPTED };
    case 'artefacts_missing':
    case 'artifact_missing': {
      const reason = errorLine(error);
      dropRequest(open(session), runId, { event: 'advance_refused', reason });
      return { prompt: `The holdfast run ${runId} did not move: ${reason}` };
    }
    default: {
      const { message, hint } = error;
      return { stop: { reason: 'failed', message, advice: hint } };
    }
  }
}

/** The failure goes back to the agent as often as the template allows; a failed gate is one of the tries of its step. */
function gateFailed(
  context: DriveContext,
  at: StepAt,
  session: string | null,
  gate: FailedGate,
): MoveResult {
  const { runId, emit, open } = context;
  const { kind: result, command, tail: output } = gate;
  emit({ event: 'gate', step: at.machine.step, result, command, output });

  const reason = gateReason(gate);
  const retries = retriesLeft(at);
  if (retries !== null) {
    const { outcome } = failRun(open(session), runId, reason);
    if (outcome?.outcome !== 'retry') return null;
    return { prompt: gateFailedPrompt(runId, gate, retries) };
  }

  // Its failure would not be retried, so the driver counts how often the gate may fail before the step does.
  const allowed = at.template.max_retries ?? DEFAULT_RETRIES;
  const count = countGateFailure(context, at.entry);
  if (count > allowed) {
    failRun(open(session), runId, reason);
    return null;
  }
  dropRequest(open(session), runId, { event: 'gate_failed', command, reason });
  return { prompt: gateFailedPrompt(runId, gate, allowed - count + 1) };
}

/** How often the gate of this entry has failed, this time included. */
function countGateFailure({ record }: DriveContext, entry: string): number {
  const { gateFailures: before } = record.memory;
  const count = before?.entry === entry ? before.count + 1 : 1;
  record.update({ gateFailures: { entry, count } });
  return count;
}

const MAX_COMMAND_CHARS = 300;

function gateReason(gate: FailedGate): string {
  const how =
    gate.kind === 'timed_out'
      ? `did not end within ${gate.seconds} seconds`
      : `exited with ${gate.exitCode}`;
  return `the gate ${quoted(gate.command, MAX_COMMAND_CHARS)} ${how}`;
}

/** What a command printed is data: it stands in a fence, and nothing in it can pass for words of holdfast. */
function gateFailedPrompt(
  runId: string,
  gate: FailedGate,
  failuresLeft: number,
): string {
  const lines = [
    `The holdfast run ${runId} did not move: ${gateReason(gate)}.`,
  ];
  if (gate.tail.trim() !== '')
    lines.push('The end of what it printed:', fenced(gate.tail));
  const tries =
    failuresLeft <= 1
      ? 'If it fails again, the step counts as failed.'
      : `After ${failuresLeft} more failures the step counts as failed.`;
  lines.push(
    `Correct the cause, then run \`holdfast advance\` again. ${tries}`,
  );
  return lines.join('\n');
}

/** A driven session takes the run before its client starts. A fresh one is a clear. */
export function holdForClient(
  context: OperationContext,
  runId: string,
  client: {
    session: string;
    heldBy: string | null;
    isFresh: boolean;
    agent: string | null;
  },
): Run {
  const { session, heldBy, isFresh, agent } = client;
  return withRun(context, runId, (run, tx, log) => {
    requireActive(run, 'run');
    const holder = holderOf(run.state);
    const isOwnHolder = holder === heldBy || holder === session;
    // Another session has taken the run from the one that the driver gave it to before.
    if (heldBy !== null && holder !== null && !isOwnHolder)
      throw heldByLiveSession(runId, holder, 'now');
    const why: Hold = { by: 'command', own: true };
    const held = withState(run, holdBy(context, session, run.state, why));
    const at = context.now.toISOString();
    const begun = isFresh ? contextActionHappened(held, 'clear', at) : held;
    const event: NewEvent = { event: 'driven', fresh: isFresh };
    if (agent !== null) event['agent'] = agent;
    return tx.write(begun, begun.state, {
      ...log(event),
      session_id: session,
    });
  });
}

/** The client proved a compaction, and no hook has recorded it. */
export const recordCompaction = (
  context: OperationContext,
  runId: string,
): Run =>
  withRun(context, runId, (run, tx, log) => {
    const at = context.now.toISOString();
    const performed = contextActionHappened(run, 'compact', at);
    if (performed === run) return run;
    return tx.write(
      performed,
      performed.state,
      log({ event: 'context', performed: '/compact' }),
    );
  });

const dropRequest = (
  context: OperationContext,
  runId: string,
  event: NewEvent,
): Run =>
  withRun(context, runId, (run, tx, log) =>
    tx.write(run, withoutRequest(run.state), log(event)),
  );

/** For the journal of the run, wherever that is by now. */
export function recordDrivenEvent(
  context: OperationContext,
  runId: string,
  event: NewEvent,
): void {
  transact(context, (tx) => {
    const run = tx.runs.find((candidate) => candidate.runId === runId);
    if (run !== undefined) {
      tx.write(run, run.state, withActor(context.caller, event));
      return;
    }
    // The agent has ended the run with its last step.
    const path = join(context.root, archivedJournal(runId));
    if (fse.existsSync(path))
      appendLine(
        path,
        journalLine(withActor(context.caller, event), context.now),
      );
  });
}

export function releaseFromDriver(
  context: OperationContext,
  runId: string,
  session: string,
): void {
  transact(context, (tx) => {
    const run = tx.runs.find((candidate) => candidate.runId === runId);
    if (run === undefined || run.state.sessions?.current_session_id !== session)
      return;
    const state = releaseRun(run.state, session, context.now);
    tx.write(run, state, withActor(context.caller, { event: 'released' }));
  });
}
