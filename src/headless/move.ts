import { join } from 'node:path';
import fse from 'fs-extra';
import {
  type RequestedAdvance,
  advanceRun,
  withoutRequest,
} from '../runs/advance.ts';
import { failRun } from '../runs/move-run.ts';
import { type FailedGate, GateFailed } from '../runs/pass-gates.ts';
import { gatesDue } from '../templates/machine/gates.ts';
import { DEFAULT_RETRIES } from '../templates/machine/machine-state.ts';
import { retriesLeft } from '../templates/machine/position.ts';
import { machineWithGates } from '../templates/template-run.ts';
import { HoldfastError, errorLine } from '../text/holdfast-error.ts';
import { fenced, quoted } from '../text/sanitize.ts';
import { appendLine } from '../files/atomic-write.ts';
import { holdBy, transact, withActor, withRun } from '../runs/change-run.ts';
import { requireActive } from '../runs/which-run.ts';
import { holderOf, releaseRun } from '../sessions/holder.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import type { NewEvent } from '../state/journal.ts';
import { journalLine } from '../state/store/run-files.ts';
import { archivedJournal } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import { contextActionHappened } from '../templates/run-view.ts';
import { heldByLiveSession, type DriveContext } from './setup.ts';
import type { StepAt } from './step.ts';
import { INTERRUPTED, type Stop } from './stop.ts';

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
  const machine = machineWithGates(at.state);
  const gates = machine === null ? [] : gatesDue(machine);
  try {
    const { until } = await advanceRun(
      { ...context.open(session), signal },
      runId,
      request,
    );
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
    switch (error.code) {
      case 'moved_meanwhile':
        return null;
      case 'gate_cancelled':
      case 'cancelled':
        return { stop: INTERRUPTED };
      case 'artefacts_missing':
      case 'artifact_missing': {
        const why = errorLine(error);
        dropRequest(context.open(session), runId, {
          event: 'advance_refused',
          reason: why,
        });
        return { prompt: `The holdfast run ${runId} did not move: ${why}` };
      }
      default: {
        const { message, hint } = error;
        return { stop: { reason: 'failed', message, advice: hint } };
      }
    }
  }
}

const MAX_COMMAND = 300;

const howItFailed = (gate: FailedGate): string =>
  gate.kind === 'timed_out'
    ? `did not end within ${gate.seconds} seconds`
    : `exited with ${gate.exitCode}`;

/** The failure goes back to the agent as often as the template allows; a failed gate is one of the tries of its step. */
function gateFailed(
  context: DriveContext,
  at: StepAt,
  session: string | null,
  gate: FailedGate,
) {
  const { runId, record, emit } = context;
  const { kind: result, command, tail: output } = gate;
  const { entry } = at;
  emit({ event: 'gate', step: at.machine.step, result, command, output });
  const reason = `the gate ${quoted(command, MAX_COMMAND)} ${howItFailed(gate)}`;
  const back = (failuresLeft: number): MoveResult => ({
    prompt: gateFailedPrompt(runId, gate, failuresLeft),
  });
  const retries = retriesLeft(at);
  if (retries !== null) {
    const { outcome } = failRun(context.open(session), runId, reason);
    return outcome?.outcome === 'retry' ? back(retries) : null;
  }
  const allowed = at.template.max_retries ?? DEFAULT_RETRIES;
  const before = record.memory.gateFailures;
  const count = (before?.entry === entry ? before.count : 0) + 1;
  record.update({ gateFailures: { entry, count } });
  if (count > allowed) {
    failRun(context.open(session), runId, reason);
    return null;
  }
  dropRequest(context.open(session), runId, {
    event: 'gate_failed',
    command,
    reason,
  });
  return back(allowed - count + 1);
}

/** What a command printed is data: it stands in a fence, and nothing in it can pass for words of holdfast. */
function gateFailedPrompt(
  runId: string,
  gate: FailedGate,
  failuresLeft: number,
): string {
  const { command, tail: output } = gate;
  const tries =
    failuresLeft <= 1
      ? 'If it fails again, the step counts as failed.'
      : `After ${failuresLeft} more failures the step counts as failed.`;
  return [
    `The holdfast run ${runId} did not move: the gate ${quoted(command, MAX_COMMAND)} ${howItFailed(gate)}.`,
    ...(output.trim() === ''
      ? []
      : ['The end of what it printed:', fenced(output)]),
    `Correct the cause, then run \`holdfast advance\` again. ${tries}`,
  ].join('\n');
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
): StoredRun {
  const { session, heldBy, isFresh, agent } = client;
  return withRun(context, runId, (run, tx, log) => {
    requireActive(run, 'run');
    const holder = holderOf(run.state);
    // Another session has taken the run from the one that the driver gave it to before.
    if (
      heldBy !== null &&
      holder !== null &&
      ![heldBy, session].includes(holder)
    )
      throw heldByLiveSession(runId, holder, 'now');
    const held = holdBy(context, session, run.state, {
      by: 'command',
      own: true,
    });
    const at = context.now.toISOString();
    const state = isFresh ? contextActionHappened(held, 'clear', at) : held;
    const event: NewEvent = {
      event: 'driven',
      fresh: isFresh,
      ...(agent === null ? {} : { agent }),
    };
    return tx.write(run, state, { ...log(event), session_id: session });
  });
}

/** The client proved a compaction, and no hook has recorded it. */
export const recordCompaction = (
  context: OperationContext,
  runId: string,
): StoredRun =>
  withRun(context, runId, (run, tx, log) => {
    const state = contextActionHappened(
      run.state,
      'compact',
      context.now.toISOString(),
    );
    if (state === run.state) return run;
    return tx.write(
      run,
      state,
      log({ event: 'context', performed: '/compact' }),
    );
  });

const dropRequest = (
  context: OperationContext,
  runId: string,
  event: NewEvent,
): StoredRun =>
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
      tx.write(run, run.state, withActor(context, event));
      return;
    }
    // The agent has ended the run with its last step.
    const path = join(context.root, archivedJournal(runId));
    if (fse.existsSync(path))
      appendLine(path, journalLine(withActor(context, event), context.now));
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
    tx.write(run, state, withActor(context, { event: 'released' }));
  });
}
