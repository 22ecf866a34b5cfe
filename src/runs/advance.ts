import { join } from 'node:path';
import { isAbsent, locate } from '../files/read-file.ts';
import { declaredArtefacts } from '../machine/enter-step.ts';
import { gatesDue, untilDue } from '../machine/gates.ts';
import type { WorkflowStateMachine } from '../machine/machine.ts';
import { type Caller, sessionOf } from '../sessions/caller.ts';
import { isDriven } from '../sessions/client-process.ts';
import { holderOf, recordCompletedPhase } from '../sessions/holder.ts';
import type { Project } from '../sessions/open-project.ts';
import { openItemsOf, openItemsText } from '../sources/open-items.ts';
import type { NewEvent } from '../state/journal.ts';
import { failureOf } from '../state/failure.ts';
import {
  isCounted,
  phaseLabel,
  phaseName,
  phaseWords,
} from '../state/phase-words.ts';
import { advancePhase, nextPhase } from '../state/phases.ts';
import { waitOf } from '../state/progress.ts';
import { withState } from '../state/run.ts';
import {
  machineOf,
  machineWithGates,
  withMachine,
  withoutArtefacts,
} from '../state/template-run.ts';
import type { Run, RunState } from '../state/types.ts';
import { waitingPhase } from '../state/waiting-phase.ts';
import { positionKey } from '../templates/next.ts';
import { HoldfastError, tooLong } from '../text/holdfast-error.ts';
import { asWord } from '../text/sanitize.ts';
import { changeRun } from './change-run.ts';
import { artifactsAtMove, requireArtifacts } from './due-artifacts.ts';
import { type Moved, saveMove } from './move-run.ts';
import {
  type UntilResult,
  checkUntil,
  passGates,
  requireSamePosition,
} from './pass-gates.ts';
import { withoutRequest } from './requested-advance.ts';
import { requireActive, requireBegun } from './which-run.ts';
import { writtenFiles } from './written-files.ts';

export interface AdvanceInput {
  output?: string | undefined;
  artefacts: string[];
  /** Those of them that get a name, by it. */
  named?: Record<string, string>;
  /** The name of the next phase, in a run without a template. */
  nextName?: string | undefined;
  /** The phase or step that is entered waits for the user's word. */
  wait?: boolean | undefined;
  /** Advance even if a required artifact is missing. */
  force?: boolean | undefined;
  /** Whether the caller still waits for the result. */
  signal?: AbortSignal | undefined;
}

export interface Advanced extends Moved {
  /** The phase or step that was finished, for people, and what is to be said of it. */
  finished: string;
  remarks: string[];
  until: UntilResult | null;
  /** Files that the caller named and that do not exist. */
  absent: string[];
  /** The run has not moved: its driver runs the commands of the step once the turn has ended. */
  isRequested: boolean;
}

const CHANGE = { command: 'advance', takes: true, adopts: true };

/** Finishes the current phase or step of the run. */
export async function advanceRun(
  project: Project,
  caller: Caller,
  target: Run,
  input: AdvanceInput,
): Promise<Advanced> {
  requireBounded('--output', input.output);
  requireAdvanceable(target, input);
  const gated = machineWithGates(target);
  if (gated !== null && isLeftToDriver(project, target, gated))
    return requestAdvance(project, caller, target, gated, input);

  // Gates may take minutes, so they run before the lock is taken.
  const checks = await runChecks(project, target, gated, input.signal);
  return changeRun(project, caller, target, CHANGE, (run, tx, log) => {
    requireAdvanceable(run, input);
    if (gated !== null) requireSamePosition(run, gated);
    const done = finishCurrent(project, caller, run, input, checks.until);
    const moved = withCompletedPhase(project, caller, done);
    const entered = input.wait
      ? withWaitingPhase(moved, project.now)
      : moved.state;
    const state = withNamed(withoutRequest(entered), input);
    const event = log(advancedEvent(done, moved, input, checks));
    const saved = saveMove(project, caller, tx, {
      before: run,
      after: withState(moved, state),
      event,
      isStrict: input.force !== true,
    });
    return {
      ...describeFinished(project, run, done, input),
      ...saved,
      until: checks.until,
      isRequested: false,
    };
  });
}

/** In a driven run the agent only asks for a move that depends on commands. */
function isLeftToDriver(
  { environment }: Pick<Project, 'environment'>,
  { runId }: Run,
  machine: WorkflowStateMachine,
): boolean {
  const hasCommands =
    gatesDue(machine).length > 0 || untilDue(machine) !== null;
  return hasCommands && isDriven(environment, runId);
}

/** Notes what the agent wants, for the driver. What the move could be refused for is checked now. */
function requestAdvance(
  project: Project,
  caller: Caller,
  target: Run,
  gated: WorkflowStateMachine,
  input: AdvanceInput,
): Advanced {
  return changeRun(project, caller, target, CHANGE, (run, tx, log) => {
    requireAdvanceable(run, input);
    requireSamePosition(run, gated);
    const done = finishCurrent(project, caller, run, input, null);
    const isStrict = input.force !== true;
    const { absent } = artifactsAtMove(project, caller, run, done.run, false);
    if (isStrict) requireArtifacts(run, absent);
    const requested_advance = {
      position: positionKey(run.runId, gated.state),
      ...detailsOf(input),
      ...(isStrict ? {} : { force: true }),
      ...(input.wait === true ? { wait: true } : {}),
      at: project.now.toISOString(),
    };
    const state = { ...withNamed(run.state, input), requested_advance };
    const event = log({ event: 'advance_requested', step: done.label });
    return {
      ...describeFinished(project, run, done, input),
      run: tx.write(run, state, event),
      action: null,
      artifacts: { due: [], text: '', absent },
      until: null,
      isRequested: true,
    };
  });
}

/** What the commands of the step have shown before the move. */
interface Checks {
  /** The commands that passed. */
  gates: string[];
  until: UntilResult | null;
}

async function runChecks(
  project: Project,
  { runId }: Run,
  gated: WorkflowStateMachine | null,
  signal: AbortSignal | undefined,
): Promise<Checks> {
  if (gated === null) return { gates: [], until: null };
  const gates = await passGates(project, runId, gated, { signal });
  const until = await checkUntil(project, runId, gated, { signal });
  // A move whose result nobody reads would lose the context action that it requests.
  if (signal?.aborted === true) throw cancelled(runId);
  return { gates, until };
}

function cancelled(runId: string): HoldfastError {
  const message = `request cancelled; ${runId} was not changed`;
  return new HoldfastError('cancelled', message, { hint: 'try again' });
}

/** A run whose current phase or step is finished, and that is not saved yet. */
interface Finished {
  run: Run;
  /** What was finished, within a sentence. */
  finished: string;
  /** The same for the journal. */
  label: string;
  /** The phase for the session's record; null if only a part of a step is done. */
  completed: string | null;
  artefacts: string[];
}

function finishCurrent(
  project: Project,
  caller: Caller,
  run: Run,
  input: AdvanceInput,
  until: UntilResult | null,
): Finished {
  const machine = machineOf(run);
  return machine === null
    ? finishPhase(project, run, input)
    : finishStep(project, sessionOf(caller), run, machine, input, until);
}

function finishPhase(
  project: Pick<Project, 'root'>,
  run: Run,
  input: AdvanceInput,
): Finished {
  const { phase } = run.state;
  const next = advancePhase(run.state, input);
  const open = next.status === 'completed' ? openItemsOf(project, run) : null;
  if (open !== null) throw planNotDone(run, openItemsText(open));
  return {
    run: withState(run, next),
    finished: `phase ${phaseWords(phase)}`,
    label: phaseLabel(phase),
    completed: phaseName(phase),
    artefacts: input.artefacts,
  };
}

function planNotDone({ runId }: Run, open: string): HoldfastError {
  const message = `this is the last phase of ${runId}, and its plan is not done: ${open}; nothing was changed`;
  const hint = `tick off what is done there; to end the run with them open: \`holdfast complete ${runId}\``;
  return new HoldfastError('open_items', message, { hint });
}

function finishStep(
  project: Pick<Project, 'root' | 'config'>,
  session: string | null,
  run: Run,
  machine: WorkflowStateMachine,
  input: AdvanceInput,
  until: UntilResult | null,
): Finished {
  const { root } = project;
  const { progress, step: id } = machine.getStatus();
  const step = machine.template.steps.find((candidate) => candidate.id === id);
  const written =
    step?.artefacts === true ? writtenFiles(project, session, run) : [];
  const artefacts = [...new Set([...input.artefacts, ...written])];
  machine.advance(input.output, artefacts, until?.met === true);

  const after = machine.getStatus();
  const isLeft = after.step !== id || after.status === 'complete';
  const declared = isLeft && step !== undefined ? declaredArtefacts(step) : [];
  const missing = declared.filter(
    (path) => locate(root, join(root, path)) !== 'inside',
  );
  if (missing.length > 0 && input.force !== true)
    throw artefactsMissing(run, id, missing);
  return {
    run: withoutArtefacts(withMachine(run, machine), id, missing),
    finished: progress.text,
    label: progress.text,
    completed: isLeft ? phaseName(run.state.phase) : null,
    artefacts,
  };
}

function artefactsMissing(
  { runId }: Run,
  step: string,
  missing: readonly string[],
): HoldfastError {
  const isOne = missing.length === 1;
  const files = missing.map((path) => asWord(path)).join(', ');
  const message = `step "${step}" must leave ${files}, which ${isOne ? 'does' : 'do'} not exist in the project`;
  const hint = `the run was not advanced; create ${isOne ? 'it' : 'them'}, or advance without: \`holdfast advance ${runId} --force\``;
  return new HoldfastError('artefacts_missing', message, { hint });
}

/** The state in its current phase or step, which waits from now on. A step that asks the user anyway needs no second word. */
function withWaitingPhase(run: Run, now: Date): RunState {
  const { state } = run;
  const isOver = state.status !== 'in_progress';
  if (isOver || waitOf(run)?.for === 'approval') return state;
  return { ...state, phase: waitingPhase(state.phase, now) };
}

/** The session that holds the run has the phase in its record. */
function withCompletedPhase(
  { now }: Pick<Project, 'now'>,
  caller: Caller,
  { run, completed }: Finished,
): Run {
  const session = sessionOf(caller);
  const isHeld = session !== null && holderOf(run.state) === session;
  if (!isHeld || completed === null) return run;
  return withState(
    run,
    recordCompletedPhase(run.state, session, completed, now),
  );
}

function advancedEvent(
  { label, artefacts }: Finished,
  { state }: Run,
  { output }: AdvanceInput,
  { gates, until }: Checks,
): NewEvent {
  return {
    event: 'advanced',
    finished: label,
    phase: state.phase,
    ...detailsOf({ output, artefacts }),
    // What it printed is not kept.
    ...(until === null ? {} : { until: { ...until, output: undefined } }),
    ...(gates.length === 0 ? {} : { gates }),
  };
}

/** What is said of the phase or step that was finished; `run` is the run before. */
function describeFinished(
  project: Pick<Project, 'root'>,
  run: Run,
  { finished }: Finished,
  { artefacts }: AdvanceInput,
): Pick<Advanced, 'finished' | 'remarks' | 'absent'> {
  const { state } = run;
  const isOfTemplate = run.kind === 'template';
  const open = isOfTemplate
    ? null
    : openItemsOf(project, run, state.phase.name);
  const left = open === null ? [] : [`left ${openItemsText(open)}`];
  const absent = artefacts.filter((path) => isAbsent(project.root, path));
  return { finished, remarks: [...blockerOf(state), ...left], absent };
}

/** For the journal and a request: what the caller gave. */
function detailsOf({
  output,
  artefacts,
}: Pick<AdvanceInput, 'output' | 'artefacts'>): object {
  return {
    ...(output === undefined ? {} : { output }),
    ...(artefacts.length === 0 ? {} : { artefacts }),
  };
}

function withNamed(state: RunState, { named = {} }: AdvanceInput): RunState {
  if (Object.keys(named).length === 0) return state;
  return { ...state, artifacts: { ...state.artifacts, ...named } };
}

const MAX_REASON_CHARS = 300;

function blockerOf(state: RunState): string[] {
  if (state.phase.status !== 'blocked') return [];
  const why = failureOf(state)?.reason ?? state.status_reason ?? '';
  return why === ''
    ? ['it was blocked']
    : [`it was blocked: ${asWord(why, MAX_REASON_CHARS)}`];
}

const MAX_OUTPUT_CHARS = 200_000;

/** Outputs and feedback are stored in the state file, which every command and hook reads. */
export function requireBounded(
  option: string,
  text = '',
  remedy = 'name it with --artefact',
): void {
  if (text.length > MAX_OUTPUT_CHARS)
    throw tooLong(option, text, MAX_OUTPUT_CHARS, remedy);
}

function requireAdvanceable(run: Run, { nextName }: AdvanceInput): void {
  requireActive(run, 'advance');
  requireBegun(run);
  requireNextKnown(run, nextName);
  const { runId, state } = run;
  if (nextName === undefined) return;
  if (run.kind !== 'phases') throw templateDecides('--name', runId);
  if (!isCounted(state.phase) || nextPhase(state) !== null) return;
  const message = `${runId} is in its last phase, so there is no next one to name; nothing was changed`;
  const hint = `add it first: \`holdfast update ${runId} --phases "<all names>"\`; or finish the run: \`holdfast advance ${runId}\``;
  throw new HoldfastError('no_next_phase', message, { hint });
}

export function templateDecides(option: string, run: string): HoldfastError {
  const message = `${option} cannot be used with ${run}, whose template defines its phases`;
  const hint = `move it with \`holdfast advance ${run}\`, \`holdfast pivot <step> --feedback "…" --run ${run}\` or \`holdfast fail ${run} --reason "…"\``;
  return new HoldfastError('template_decides', message, { hint });
}

/** Where nobody knows how many phases there are, no phase is the last one: only `complete` ends the run. */
export function requireNextKnown(run: Run, nextName?: string): void {
  const isKnown = run.kind !== 'phases' || isCounted(run.state.phase);
  if (isKnown || nextName !== undefined) return;
  const { runId } = run;
  const message = `how many phases ${runId} has is not known, so the next one has to be named; nothing was changed`;
  const hint = `go on with \`holdfast advance ${runId} --name "<next phase>"\`, or end the run with \`holdfast complete ${runId}\` if the work is done`;
  throw new HoldfastError('next_phase_unknown', message, { hint });
}
