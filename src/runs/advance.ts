import { isAbsolute, join, relative, sep } from 'node:path';
import { isAbsent, locate } from '../files/read-file.ts';
import { isDriven } from '../sessions/client-process.ts';
import { holderOf, recordCompletedPhase } from '../sessions/holder.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { findTranscript, readToolCalls } from '../sessions/evidence.ts';
import { openItemsOf, openItemsText } from '../sources/open-items.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import {
  advancePhase,
  failureOf,
  isCounted,
  nextPhase,
  phaseLabel,
  phaseName,
  phaseWords,
} from '../state/phases.ts';
import { readJournalOf } from '../state/store/run-files.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { declaredArtefacts } from '../templates/machine/enter-step.ts';
import { gatesDue, untilDue } from '../templates/machine/gates.ts';
import type { WorkflowStateMachine } from '../templates/machine/machine.ts';
import { positionKey } from '../templates/next.ts';
import { inspectRun } from '../templates/run-view.ts';
import {
  machineOf,
  machineWithGates,
  withMachine,
  withoutArtefacts,
} from '../templates/template-run.ts';
import { HoldfastError, tooLong } from '../text/holdfast-error.ts';
import { asWord } from '../text/sanitize.ts';
import { isObject } from '../text/json.ts';
import { withRun } from './change-run.ts';
import {
  type Moved,
  artifactsAtMove,
  requireArtifacts,
  saveMove,
} from './move-run.ts';
import {
  type UntilResult,
  checkUntil,
  passGates,
  requireSamePosition,
} from './pass-gates.ts';
import { findTargetRun, requireActive } from './which-run.ts';

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

export async function advanceRun(
  context: OperationContext,
  name: string | undefined,
  input: AdvanceInput,
): Promise<Advanced> {
  requireBounded('--output', input.output);
  const target = findTargetRun(context, name);
  requireAdvanceable(target, input);
  const gated = machineWithGates(target.state);
  // In a driven run the agent only asks for a move that depends on commands.
  const isRequested =
    gated !== null &&
    isDriven(context.environment, target.runId) &&
    (gatesDue(gated).length > 0 || untilDue(gated) !== null);
  const isChecked = gated !== null && !isRequested;
  // Gates may take minutes, so they run before the lock is taken.
  const gates = isChecked ? await passGates(context, target.runId, gated) : [];
  const until = isChecked
    ? await checkUntil(context, target.runId, gated)
    : null;
  return withRun(context, target.runId, (run, tx, log) => {
    requireAdvanceable(run, input);
    const machine = machineOf(run.state);
    if (gated !== null) requireSamePosition(run, gated, machine);
    const move =
      machine === null
        ? advanceByPhase(context, run, input)
        : advanceByStep(context, run, machine, input, until);
    const { finished, label } = move;
    const absent = input.artefacts.filter((path) =>
      isAbsent(context.root, path),
    );
    const open =
      machine === null ? openItemsOf(context, run, run.state.phase.name) : null;
    const left = open === null ? [] : [`left ${openItemsText(open)}`];
    const remarks = [...blockerOf(run.state), ...left];
    const reply = { finished, remarks, until, absent, isRequested };
    const isStrict = input.force !== true;
    if (gated !== null && isRequested) {
      // What it could be refused for is checked now.
      const { absent: missing } = artifactsAtMove(
        context,
        run,
        move.state,
        false,
      );
      const none = { due: [], text: '', absent: missing };
      if (isStrict) requireArtifacts(run, none);
      const requested_advance = {
        position: positionKey(run.runId, gated.state),
        ...details(input),
        ...(isStrict ? {} : { force: true }),
        at: context.now.toISOString(),
      };
      const event = log({ event: 'advance_requested', step: label });
      const saved = tx.write(
        run,
        { ...withNamed(run.state, input), requested_advance },
        event,
      );
      return { ...reply, run: saved, action: null, artifacts: none };
    }
    const { session } = context;
    const isHeld = session !== null && holderOf(move.state) === session;
    const recorded =
      isHeld && move.completed !== null
        ? recordCompletedPhase(move.state, session, move.completed, context.now)
        : move.state;
    const event = log({
      event: 'advanced',
      finished: label,
      phase: recorded.phase,
      ...details({ ...input, artefacts: move.artefacts }),
      // What it printed is not kept.
      ...(until === null ? {} : { until: { ...until, output: undefined } }),
      ...(gates.length === 0 ? {} : { gates }),
    });
    const after = withNamed(withoutRequest(recorded), input);
    return {
      ...reply,
      ...saveMove(context, tx, run, after, event, { isStrict }),
    };
  });
}

/** For the journal and a request: what the caller gave. */
const details = ({
  output,
  artefacts,
}: Pick<AdvanceInput, 'output' | 'artefacts'>): object => ({
  ...(output === undefined ? {} : { output }),
  ...(artefacts.length === 0 ? {} : { artefacts }),
});

function withNamed(state: RunState, { named = {} }: AdvanceInput): RunState {
  if (Object.keys(named).length === 0) return state;
  return { ...state, artifacts: { ...state.artifacts, ...named } };
}

const MAX_REASON = 300;

function blockerOf(state: RunState): string[] {
  if (state.phase.status !== 'blocked') return [];
  const why = failureOf(state)?.reason ?? state.status_reason ?? '';
  return [`it was blocked${why === '' ? '' : `: ${asWord(why, MAX_REASON)}`}`];
}

const MAX_OUTPUT = 200_000;

/** Outputs and feedback are stored in the state file, which every command and hook reads. */
export function requireBounded(
  option: string,
  text = '',
  remedy = 'name it with --artefact',
) {
  if (text.length > MAX_OUTPUT) throw tooLong(option, text, MAX_OUTPUT, remedy);
}

function requireAdvanceable(run: StoredRun, { nextName }: AdvanceInput): void {
  requireActive(run, 'advance');
  requireNextKnown(run, nextName);
  const { runId, state } = run;
  if (nextName === undefined) return;
  if (state.template !== undefined) throw templateDecides('--name', runId);
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
export function requireNextKnown(
  { runId, state }: StoredRun,
  nextName?: string,
): void {
  if (
    state.machine !== undefined ||
    isCounted(state.phase) ||
    nextName !== undefined
  )
    return;
  const message = `how many phases ${runId} has is not known, so the next one has to be named; nothing was changed`;
  const hint = `go on with \`holdfast advance ${runId} --name "<next phase>"\`, or end the run with \`holdfast complete ${runId}\` if the work is done`;
  throw new HoldfastError('next_phase_unknown', message, { hint });
}

interface Step {
  state: RunState;
  /** What was finished, within a sentence. */
  finished: string;
  /** The same for the journal. */
  label: string;
  /** The phase for the session's record; null if only a part of a step is done. */
  completed: string | null;
  artefacts: string[];
}

function advanceByPhase(
  context: OperationContext,
  run: StoredRun,
  input: AdvanceInput,
): Step {
  const { state, runId } = run;
  const next = advancePhase(state, input);
  const open = next.status === 'completed' ? openItemsOf(context, run) : null;
  if (open !== null) {
    const message = `this is the last phase of ${runId}, and its plan is not done: ${openItemsText(open)}; nothing was changed`;
    const hint = `tick off what is done there; to end the run with them open: \`holdfast complete ${runId}\``;
    throw new HoldfastError('open_items', message, { hint });
  }
  return {
    state: next,
    finished: `phase ${phaseWords(state.phase)}`,
    label: phaseLabel(state.phase),
    completed: phaseName(state.phase),
    artefacts: input.artefacts,
  };
}

function advanceByStep(
  context: OperationContext,
  run: StoredRun,
  machine: WorkflowStateMachine,
  input: AdvanceInput,
  until: UntilResult | null,
): Step {
  const { root } = context;
  const { progress, step: id } = machine.getStatus();
  const step = machine.template.steps.find((candidate) => candidate.id === id);
  const written = step?.artefacts === true ? writtenFiles(context, run) : [];
  const artefacts = [...new Set([...input.artefacts, ...written])];
  machine.advance(input.output, artefacts, until?.met === true);
  const after = machine.getStatus();
  const isLeft = after.step !== id || after.status === 'complete';
  const declared = isLeft && step !== undefined ? declaredArtefacts(step) : [];
  const missing = declared.filter(
    (path) => locate(root, join(root, path)) !== 'inside',
  );
  if (missing.length > 0 && input.force !== true) {
    const isOne = missing.length === 1;
    const message = `step "${id}" must leave ${missing.map((path) => asWord(path)).join(', ')}, which ${isOne ? 'does' : 'do'} not exist in the project`;
    const hint = `the run was not advanced; create ${isOne ? 'it' : 'them'}, or advance without: \`holdfast advance ${run.runId} --force\``;
    throw new HoldfastError('artefacts_missing', message, { hint });
  }
  return {
    state: withoutArtefacts(withMachine(run.state, machine), id, missing),
    finished: progress.text,
    label: progress.text,
    completed: isLeft ? phaseName(run.state.phase) : null,
    artefacts,
  };
}

const MAX_FILES = 100;
const WRITING_TOOLS = /^(?:Write|Edit|MultiEdit|NotebookEdit)$/;
/** Journal events after which a run is at another position; a failure is one if the step or task was skipped. */
const MOVES = new Set([
  'started',
  'advanced',
  'skipped',
  'pivoted',
  'approved',
  'rejected',
]);

/** The files inside the project that the session has written since the run last moved, in order. */
function writtenFiles(context: OperationContext, run: StoredRun): string[] {
  const { session, config, store, root } = context;
  const since = readJournalOf(store.root, run).findLast(
    ({ event, outcome }) => MOVES.has(event) || outcome === 'skip',
  )?.at;
  const transcript =
    session === null ? null : findTranscript(config, session, root);
  if (transcript === null || since === undefined) return [];
  const start = Date.parse(since);
  const files: string[] = [];
  for (const { name, input, at } of readToolCalls(transcript, () => false) ??
    []) {
    if (at !== undefined && Date.parse(at) < start) break;
    const path = input['file_path'] ?? input['notebook_path'];
    if (
      at === undefined ||
      !WRITING_TOOLS.test(name) ||
      typeof path !== 'string'
    )
      continue;
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
  return inside.startsWith('..') || inside.startsWith(`${STATE_FOLDER}/`)
    ? null
    : inside;
}

/** The move that the agent of a driven run wants to make, for the driver. */
export type RequestedAdvance = {
  output: string | undefined;
  artefacts: string[];
  force: boolean;
};

/** Null if nothing was requested at the position where the run stands. */
export function requestedAdvance({
  runId,
  state,
}: StoredRun): RequestedAdvance | null {
  const { requested_advance: requested } = state;
  const run = inspectRun(state);
  if (
    !isObject(requested) ||
    run.kind !== 'template' ||
    run.machine.status !== 'running'
  )
    return null;
  if (requested['position'] !== positionKey(runId, run.machine)) return null;
  const { output, artefacts, force } = requested;
  return {
    output: typeof output === 'string' ? output : undefined,
    artefacts: Array.isArray(artefacts)
      ? artefacts.filter((path) => typeof path === 'string')
      : [],
    force: force === true,
  };
}

export function withoutRequest(state: RunState): RunState {
  if (state.requested_advance === undefined) return state;
  const { requested_advance: _requested, ...rest } = state;
  return rest;
}
