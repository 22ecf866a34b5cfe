import { positionKey } from '../templates/machine/next-action.ts';
import { inspectRun } from '../templates/run-view.ts';
import { isObject, sameJson } from '../text/json.ts';
import { join, isAbsolute, relative, sep } from 'node:path';
import { HoldfastError, tooLong } from '../text/holdfast-error.ts';
import { isAbsent, locate } from '../files/read-file.ts';
import { isDriven } from '../sessions/client-process.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import {
  saveProgress,
  type Delivery,
  artifactsForTransition,
  requireArtifacts,
  type TransitionArtifacts,
} from './move-run.ts';
import { openItemsText, openItemsOf, type OpenItems } from '../sources/open-items.ts';
import { findTranscript } from '../sessions/find-transcript.ts';
import { holderOf, recordCompletedPhase } from '../sessions/holder.ts';
import { readToolCalls } from '../sessions/transcript.ts';
import { failureOf, advancePhase, isCounted, phaseLabel, phaseName } from '../state/phases.ts';
import { readJournalOf } from '../state/store/state-writer.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { declaredArtefacts } from '../templates/machine/artefacts.ts';
import type { WorkflowStateMachine } from '../templates/machine/machine.ts';
import { machineOf, withMachine, withoutArtefacts } from '../templates/template-run.ts';
import type { Step } from '../templates/template-types.generated.ts';
import { type OperationContext, callerSession } from '../sessions/open-project.ts';
import {
  checkUntil,
  gateDetails,
  machineWithGates,
  passGates,
  requireNotCancelled,
  runsCommands,
  type UntilResult,
} from './pass-gates.ts';
import { findTargetRun, requireActive } from './which-run.ts';
import { withActor, withLockedRun } from './change-run.ts';

export interface AdvanceInput {
  output?: string | undefined;
  artefacts: string[];
  /** Those of them that get a name, by it. */
  named?: Record<string, string>;
  /** The name of the next phase, in a run without a template. */
  nextName?: string | undefined;
  /** Advance even if a required artifact is missing. */
  force?: boolean | undefined;
}

export interface Advanced extends Delivery {
  /** The phase or step that was finished, for people. */
  finished: string;
  /** Why it was blocked until now; null if it was not. */
  wasBlocked: string | null;
  /** The artifacts due at this move; those not yet in the session's context come with their content. */
  artifacts: TransitionArtifacts;
  /** The result of the `until` command of a ralph step; null if there is none to run. */
  until: UntilResult | null;
  /** What is open in the plan of the phase that was left; null if nothing is. */
  open: OpenItems | null;
  /** Files that the caller named and that do not exist. */
  absent: string[];
  /** The run has not moved: its driver runs the commands of the step once the turn has ended. */
  isRequested: boolean;
}

/** Finishes the current phase or step and goes to the next one; after the last one the run is completed. */
export async function advanceRun(
  context: OperationContext,
  name: string | undefined,
  input: AdvanceInput,
): Promise<Advanced> {
  requireBoundedOutput('--output', input.output);
  const target = findTargetRun(context, name);
  requireAdvanceable(target, input);
  const gated = machineWithGates(target.state);
  if (gated !== null && runsCommands(gated) && isDriven(context.environment, target.runId))
    return requestAdvance(context, target.runId, input);
  // Gates may take minutes, so they run before the lock is taken.
  const gates = gated === null ? [] : await passGates(context, target.runId, gated);
  const until = gated === null ? null : await checkUntil(context, target.runId, gated);
  return withLockedRun(context, target.runId, (run, tx, taken) => {
    requireNotCancelled(context, run.runId);
    requireAdvanceable(run, input);
    const machine = machineOf(run.state);
    if (gated !== null) requireSamePosition(run, gated, machine);
    const move =
      machine === null
        ? advanceByPhase(context, run, input)
        : advanceByStep(context, run, machine, { ...input, until });
    const details = { ...move.details, ...gateDetails(gates), ...taken };
    const state = withNamed(move.state, input);
    const advanced = save(context, tx, run, { ...move, state, details }, input.force === true);
    const absent = absentFiles(context, input);
    const open = machine === null ? openItemsOf(context, run, run.state.phase.name) : null;
    return {
      ...advanced,
      open,
      wasBlocked: blockerOf(run.state),
      until,
      absent,
      isRequested: false,
    };
  });
}

/** In a driven run the agent only asks for a move that depends on commands. What it could be refused for is checked now. */
function requestAdvance(context: OperationContext, runId: string, input: AdvanceInput): Advanced {
  return withLockedRun(context, runId, (run, tx) => {
    requireAdvanceable(run, input);
    const machine = machineOf(run.state);
    if (machine === null) throw noLoops(runId);
    const { progress } = machine.getStatus();
    const move = advanceByStep(context, run, machine, { ...input, until: null });
    const artifacts = artifactsForTransition(context, run, move.state);
    if (input.force !== true) requireArtifacts(run, artifacts);
    const { output, artefacts, force = false } = input;
    const named = { ...run, state: withNamed(run.state, input) };
    const state = withRequest(named, { output, artefacts, force }, context.now.toISOString());
    const event = withActor(context, { event: 'advance_requested', step: progress.text });
    return {
      run: tx.write(run, { ...state, adopted: true }, event),
      action: null,
      finished: progress.text,
      artifacts: { ...artifacts, due: [], text: '' },
      open: null,
      wasBlocked: null,
      until: null,
      absent: absentFiles(context, input),
      isRequested: true,
    };
  });
}

export function noLoops(runId: string): HoldfastError {
  return new HoldfastError('no_template', `${runId} has no template, so it has no loops`, {
    hint: `continue with \`holdfast advance ${runId}\`, or start a run with \`holdfast start --template <name>\``,
    toolHint: 'continue with workflow_advance, or start a run of a template with workflow_start',
  });
}

function withNamed(state: RunState, { named = {} }: AdvanceInput): RunState {
  if (Object.keys(named).length === 0) return state;
  return { ...state, artifacts: { ...state.artifacts, ...named } };
}

function blockerOf(state: RunState): string | null {
  if (state.phase.status !== 'blocked') return null;
  return failureOf(state)?.reason ?? state.status_reason ?? '';
}

const MAX_OUTPUT = 200_000;

/** Outputs are stored in the state file, which every command and hook reads. */
export function requireBoundedOutput(option: string, output: string | undefined): void {
  if (output === undefined || output.length <= MAX_OUTPUT) return;
  throw tooLong(option, output, MAX_OUTPUT, 'name it with --artefact');
}

function requireAdvanceable(run: StoredRun, { nextName }: AdvanceInput): void {
  requireActive(run, 'advance');
  requireNextKnown(run, nextName);
  if (nextName === undefined || run.state.template === undefined) return;
  throw templateDecides('--name', run.runId);
}

export function templateDecides(option: string, run: string): HoldfastError {
  return new HoldfastError(
    'template_decides',
    `${option} cannot be used with ${run}, whose template defines its phases`,
    {
      hint: `move it with \`holdfast advance ${run}\`, \`holdfast pivot <step> --feedback "…" --run ${run}\` or \`holdfast fail ${run} --reason "…"\``,
    },
  );
}

/** Where nobody knows how many phases there are, no phase is the last one: only `complete` ends the run. */
export function requireNextKnown({ runId, state }: StoredRun, nextName?: string): void {
  if (state.machine !== undefined || isCounted(state.phase) || nextName !== undefined) return;
  throw new HoldfastError(
    'next_phase_unknown',
    `how many phases ${runId} has is not known, so the next one has to be named; nothing was changed`,
    {
      hint: `go on with \`holdfast advance ${runId} --name "<next phase>"\`, or end the run with \`holdfast complete ${runId}\` if the work is done`,
    },
  );
}

interface Move {
  state: RunState;
  finished: string;
  /** The same for the journal, without the word "phase". */
  label: string;
  /** The phase for the session's record; null if only a part of a step is done. */
  completed: string | null;
  details: object;
}

function advanceByPhase(context: OperationContext, run: StoredRun, input: AdvanceInput): Move {
  const { state, runId } = run;
  const label = phaseLabel(state.phase);
  const next = advancePhase(state, input);
  const open = next.status === 'completed' ? openItemsOf(context, run) : null;
  if (open !== null)
    throw new HoldfastError(
      'open_items',
      `this is the last phase of ${runId}, and its plan is not done: ${openItemsText(open)}; nothing was changed`,
      {
        hint: `tick off what is done there; to end the run with them open: \`holdfast complete ${runId}\``,
      },
    );
  return {
    state: next,
    finished: `phase ${label}`,
    label,
    completed: phaseName(state.phase),
    details: journalDetails(input),
  };
}

function advanceByStep(
  context: OperationContext,
  run: StoredRun,
  machine: WorkflowStateMachine,
  { until, ...input }: AdvanceInput & { until: UntilResult | null },
): Move {
  const { state } = run;
  const { progress, step: id } = machine.getStatus();
  const step = machine.template.steps.find((candidate) => candidate.id === id);
  const written = step?.artefacts === true ? writtenFiles(context, run) : [];
  const artefacts = [...new Set([...input.artefacts, ...written])];
  machine.advance(input.output, artefacts, until?.isMet === true);
  const after = machine.getStatus();
  const isLeft = after.step !== id || after.status === 'complete';
  const missing = isLeft && step !== undefined ? missingArtefacts(context, step) : [];
  if (missing.length > 0 && input.force !== true) {
    const isOne = missing.length === 1;
    throw new HoldfastError(
      'artefacts_missing',
      `step "${id}" must leave ${missing.join(', ')}, which ${isOne ? 'does' : 'do'} not exist in the project`,
      {
        hint: `the run was not advanced; create ${isOne ? 'it' : 'them'}, or advance without: \`holdfast advance ${run.runId} --force\``,
      },
    );
  }
  return {
    state: withoutArtefacts(withMachine(state, machine), id, missing),
    finished: progress.text,
    label: progress.text,
    completed: isLeft ? phaseName(state.phase) : null,
    details: { ...journalDetails({ ...input, artefacts }), ...untilDetails(until) },
  };
}

function absentFiles({ root }: OperationContext, { artefacts }: AdvanceInput): string[] {
  return artefacts.filter((path) => isAbsent(root, path));
}

function missingArtefacts({ root }: OperationContext, step: Step): string[] {
  return declaredArtefacts(step).filter((path) => locate(root, join(root, path)) !== 'inside');
}

function save(
  context: OperationContext,
  tx: Transaction,
  run: StoredRun,
  move: Move,
  force: boolean,
): Omit<Advanced, 'until' | 'open' | 'wasBlocked' | 'absent' | 'isRequested'> {
  const { finished, completed, label, details } = move;
  const artifacts = artifactsForTransition(context, run, move.state);
  if (!force) requireArtifacts(run, artifacts);
  const session = callerSession(context, tx.runs);
  const isHeld = session !== null && holderOf(artifacts.state) === session;
  const recorded =
    !isHeld || completed === null
      ? artifacts.state
      : recordCompletedPhase(artifacts.state, session, completed, context.now);
  const state = { ...withoutRequest(recorded), adopted: true };
  const event = withActor(context, {
    event: 'advanced',
    finished: label,
    phase: state.phase,
    ...details,
  });
  return { ...saveProgress(context, tx, run, state, event), finished, artifacts };
}

/** Another writer may have moved the run while its gate ran; then the gate has checked a different step. */
export function requireSamePosition(
  run: StoredRun,
  before: WorkflowStateMachine,
  current: WorkflowStateMachine | null,
): void {
  const isSame = current !== null && sameJson(positionIn(before), positionIn(current));
  if (isSame) return;
  throw new HoldfastError(
    'moved_meanwhile',
    `${run.runId} was advanced by another process while its gate ran`,
    {
      hint: '`holdfast status` shows where it stands now',
      toolHint: 'workflow_status shows where it stands now',
    },
  );
}

function positionIn(machine: WorkflowStateMachine): object {
  const { step, task, subStep, ralphIteration } = machine.state;
  return { step, task: task?.id, subStep, ralphIteration };
}

function untilDetails(until: UntilResult | null): object {
  if (until === null) return {};
  const { command, isMet, exitCode } = until;
  return { until: { command, met: isMet, exit_code: exitCode } };
}

function journalDetails({ output, artefacts }: AdvanceInput): object {
  return {
    ...(output === undefined ? {} : { output }),
    ...(artefacts.length === 0 ? {} : { artefacts }),
  };
}

const MAX_FILES = 100;
const WRITING_TOOLS = new Map([
  ['Write', 'file_path'],
  ['Edit', 'file_path'],
  ['MultiEdit', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
]);
/** Journal events after which a run is at another position. */
const MOVES = new Set([
  'started',
  'advanced',
  'failed',
  'skipped',
  'pivoted',
  'approved',
  'rejected',
]);

/** The files inside the project that the session has written since the run last moved, in order. */
function writtenFiles(context: OperationContext, run: StoredRun): string[] {
  const { session, config, store, root } = context;
  const since = readJournalOf(store.root, run).findLast(({ event }) => MOVES.has(event))?.at;
  const transcript = session === null ? null : findTranscript(config, session, root);
  if (transcript === null || since === undefined) return [];
  const start = Date.parse(since);
  const files: string[] = [];
  for (const { name, input, at } of readToolCalls(transcript, () => false) ?? []) {
    if (at !== undefined && Date.parse(at) < start) break;
    const field = WRITING_TOOLS.get(name);
    const path = field === undefined ? undefined : input[field];
    if (at === undefined || typeof path !== 'string') continue;
    const inside = pathInProject(root, path);
    if (inside !== null && !files.includes(inside)) files.push(inside);
    if (files.length === MAX_FILES) break;
  }
  return files.toReversed();
}

/** Null for a path outside the project, for a file that is gone and for the state files of holdfast. */
function pathInProject(root: string, path: string): string | null {
  if (!isAbsolute(path) || locate(root, path) !== 'inside') return null;
  const inside = relative(root, path).split(sep).join('/');
  return inside.startsWith('..') || inside.startsWith(`${STATE_FOLDER}/`) ? null : inside;
}

/** The move that the agent of a driven run wants to make, for the driver. */
export interface RequestedAdvance {
  output: string | undefined;
  artefacts: string[];
  force: boolean;
}

/** Null if nothing was requested at the position where the run stands. */
export function requestedAdvance({ runId, state }: StoredRun): RequestedAdvance | null {
  const { requested_advance: requested } = state;
  const run = inspectRun(state);
  if (!isObject(requested) || run.kind !== 'template' || run.machine.status !== 'running')
    return null;
  if (requested['position'] !== positionKey(runId, run.machine)) return null;
  const { output, artefacts, force } = requested;
  return {
    output: typeof output === 'string' ? output : undefined,
    artefacts: Array.isArray(artefacts) ? artefacts.filter((path) => typeof path === 'string') : [],
    force: force === true,
  };
}

export function withRequest(
  { runId, state }: StoredRun,
  { output, artefacts, force }: RequestedAdvance,
  at: string,
): RunState {
  const run = inspectRun(state);
  if (run.kind !== 'template') return state;
  return {
    ...state,
    requested_advance: {
      position: positionKey(runId, run.machine),
      ...(output === undefined ? {} : { output }),
      ...(artefacts.length === 0 ? {} : { artefacts }),
      ...(force ? { force } : {}),
      at,
    },
  };
}

export function withoutRequest(state: RunState): RunState {
  if (state.requested_advance === undefined) return state;
  const { requested_advance: _requested, ...rest } = state;
  return rest;
}
