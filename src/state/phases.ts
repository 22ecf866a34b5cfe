import type { DeclaredPhase, Phase, RunState } from './types.ts';
import { isObject, ownMember, type JsonObject } from '../text/json.ts';
import { asWord } from '../text/sanitize.ts';

interface FinishedPhase {
  output?: string | undefined;
  artefacts: string[];
  nextName?: string | undefined;
}

export function advancePhase(
  state: RunState,
  finished: FinishedPhase,
): RunState {
  const { current } = state.phase;
  const done = unmarkSkipped(
    keepOutput(state, finished),
    (skipped) => skipped !== current,
  );
  return leavePhase(done, finished.nextName);
}

/** The current phase is left undone, or a later one will be. */
export function skipPhase(
  state: RunState,
  phase: number,
  reason: string,
): RunState {
  const marked = markSkipped(state, phase, reason);
  return phase === state.phase.current ? leavePhase(marked) : marked;
}

/** Goes to the next phase that is not skipped; if there is none, the run is completed. */
function leavePhase(state: RunState, nextName?: string): RunState {
  const { status_reason: _reason, failure: _failure, ...kept } = state;
  const next = isCounted(kept.phase) ? nextPhase(kept) : kept.phase.current + 1;
  if (next !== null)
    return enterPhase(kept, next, nextName, Math.max(kept.phase.total, next));
  const isSkipped = Object.hasOwn(
    kept.skipped ?? {},
    String(kept.phase.current),
  );
  const status = isSkipped ? 'not_started' : 'completed';
  const phase = { ...kept.phase, status } as const;
  return { ...setByCommand(kept), phase, status: 'completed' };
}

/** Begins phase `current`; a name given by hand is also kept in the list of phases. */
export function enterPhase(
  state: RunState,
  current: number,
  name: string | undefined,
  total = state.phase.total,
): RunState {
  const phases =
    name === undefined ? state.phases : renamed(state.phases, current, name);
  const { line: _line, ...before } = state.phase;
  const label = name ?? state.phases?.[current - 1] ?? '';
  const phase: Phase = {
    ...before,
    current,
    total,
    name: label,
    status: 'in_progress',
    ...(!isCounted(before) && label === '' && { line: String(current) }),
  };
  const moved = withField({ ...setByCommand(state), phase }, 'phases', phases);
  const entered = withNextItem(moved, state);
  const undone = state.undone?.filter((open) => open < current);
  const marked = unmarkSkipped(entered, (skipped) => skipped !== current);
  return withoutPastFailure(withField(marked, 'undone', undone));
}

export function withField<
  K extends 'local_facts' | 'outputs' | 'phases' | 'skipped' | 'undone',
>(state: RunState, key: K, value: RunState[K]): RunState {
  const changed = { ...state };
  if (value !== undefined && Object.keys(value).length > 0)
    changed[key] = value;
  else delete changed[key];
  return changed;
}

/** What a command records, no source takes away: see `mergeDeclared`. */
export function setByCommand({
  recorded_phase: _former,
  ...state
}: RunState): RunState {
  return { ...state, phase_set_by: 'command' };
}

export function blockPhase(state: RunState, reason: string): RunState {
  const blocked: RunState = {
    ...setByCommand(state),
    phase: { ...state.phase, status: 'blocked' },
    status_reason: reason,
  };
  return recordFailure(blocked, reason);
}

/** Without a number, or a total, the run keeps those that it had; where nobody has given any, none is invented. */
export function phaseDeclared(
  theirs: DeclaredPhase,
  names: readonly string[],
  before?: Phase,
): Phase {
  const index = theirs.name === undefined ? -1 : names.indexOf(theirs.name);
  const current =
    theirs.current ?? (index >= 0 ? index + 1 : (before?.current ?? 1));
  const {
    total_known: isKnown,
    line: _line,
    ...kept
  }: Partial<Phase> = before ?? {};
  const former =
    isKnown === false || (kept.total ?? 0) < current ? undefined : kept.total;
  const total =
    theirs.total_known === false
      ? undefined
      : (theirs.total ?? (names.length || former));
  return {
    ...kept,
    current,
    total: Math.max(total ?? 0, current),
    name:
      theirs.name ??
      names[current - 1] ??
      (theirs.current === undefined ? kept.name : '') ??
      '',
    status: theirs.status ?? 'in_progress',
    ...(total === undefined && {
      total_known: false,
      ...(theirs.line !== undefined && { line: theirs.line }),
    }),
  };
}

export const isCounted = ({ total_known: isKnown }: Phase): boolean =>
  isKnown !== false;

/** What can be said about a phase that is not counted: the line as it stands, else its name; empty if nothing is known. */
export const uncountedText = ({ line, name }: Phase): string =>
  (line ?? name).replace(/^phase\s+(?=\S)/i, '');

/** `2/5 Build`, for tables and records. */
export function phaseLabel(phase: Phase): string {
  const { current, total, name } = phase;
  if (!isCounted(phase)) return uncountedText(phase) || 'not known';
  return name === '' ? `${current}/${total}` : `${current}/${total} ${name}`;
}

const MAX_PHASE_NAME = 160;

/** `2/5 Build` or `2/5 "Data model"`, within a sentence. */
export function phaseWords(phase: Phase, between = ' '): string {
  const { current, total, name } = phase;
  if (isCounted(phase))
    return `${current}/${total}${name === '' ? '' : between + asWord(name, MAX_PHASE_NAME)}`;
  const line = uncountedText(phase);
  return line === '' ? 'not known' : asWord(line, MAX_PHASE_NAME);
}

/** The name of a phase, for records; a phase without one is called by its number. */
export function phaseName(phase: Phase): string {
  const { current, name } = phase;
  if (name !== '') return name;
  return isCounted(phase)
    ? `Phase ${current}`
    : uncountedText(phase) || 'a phase';
}

export const renamed = (
  phases: string[] | undefined,
  current: number,
  name: string,
) =>
  phases !== undefined && current >= 1 && current <= phases.length
    ? phases.with(current - 1, name)
    : phases;

function keepOutput(
  state: RunState,
  { output, artefacts }: FinishedPhase,
): RunState {
  if (output === undefined && artefacts.length === 0) return state;
  const entry = {
    ...(output !== undefined && { text: output }),
    ...(artefacts.length > 0 && { artefacts }),
  };
  return {
    ...state,
    outputs: { ...state.outputs, [state.phase.current]: entry },
  };
}

/** In order. The current phase never counts as skipped: somebody works on it. */
export const skippedPhases = ({
  skipped = {},
  phases,
  phase,
  status,
}: RunState) =>
  Object.entries(skipped)
    .map(([key, reason]) => ({
      phase: Number(key),
      reason,
      name: phases?.[Number(key) - 1] ?? '',
    }))
    .filter(
      ({ phase: at }) =>
        at >= 1 &&
        at <= phase.total &&
        (at !== phase.current || status === 'completed'),
    )
    .toSorted((a, b) => a.phase - b.phase);

/** The first phase after `current` that is not skipped; null if none is left. */
export function nextPhase(
  { skipped, phase }: RunState,
  current = phase.current,
): number | null {
  for (let next = current + 1; next <= phase.total; next += 1) {
    if (!Object.hasOwn(skipped ?? {}, String(next))) return next;
  }
  return null;
}

export function markSkipped(
  state: RunState,
  phase: number,
  reason: string,
): RunState {
  return { ...state, skipped: { ...state.skipped, [phase]: reason } };
}

/** A phase that is entered is not skipped any more. */
export function unmarkSkipped(
  state: RunState,
  isKept: (phase: number) => boolean,
): RunState {
  const kept = Object.entries(state.skipped ?? {}).filter(([phase]) =>
    isKept(Number(phase)),
  );
  return withField(state, 'skipped', Object.fromEntries(kept));
}

/** Whether the run was completed or cancelled. Its place is the archive, but files are also written by hand. */
export const isEnded = ({ status }: Pick<RunState, 'status'>): boolean =>
  status === 'completed' || status === 'cancelled';

/** Null if nothing failed since the current phase or step was entered. */
export function failureOf(
  state: RunState,
): { reason: string; tries: number } | null {
  const { at, reason, tries } = isObject(state.failure) ? state.failure : {};
  const isFailure = typeof reason === 'string' && typeof tries === 'number';
  return isFailure && at === positionKey(state) ? { reason, tries } : null;
}

/** Call it with the state after the move: a retry or an abort stays at the same position. */
export function recordFailure(state: RunState, reason: string): RunState {
  const tries = (failureOf(state)?.tries ?? 0) + 1;
  return { ...state, failure: { at: positionKey(state), reason, tries } };
}

export function withoutPastFailure(state: RunState): RunState {
  if (state.failure === undefined || failureOf(state) !== null) return state;
  const { failure: _failure, ...rest } = state;
  return rest;
}

function positionKey({ phase, machine }: RunState): string {
  if (machine === undefined) return String(phase.current);
  const task = ownMember(machine['task'], 'id');
  return [machine['step'], task, machine['subStep'], machine['ralphIteration']]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join('/');
}

export const NEXT_ITEM = 'next_item';

/**
 * The next open item of the phase that the run is in, as its plan declared it last; none if the plan knows none there.
 * `before` is the run before the change: an item that somebody set or removed by hand in it stays.
 */
export function withNextItem(state: RunState, before: RunState): RunState {
  // The steps of a template are not the phases of a plan.
  if (state.machine !== undefined || !isItemOfPlan(before)) return state;
  const item = itemOfPhase(state);
  const { [NEXT_ITEM]: shown, ...context } = state.context ?? {};
  if (shown === item) return state;
  return {
    ...state,
    context: item === undefined ? context : { ...context, [NEXT_ITEM]: item },
  };
}

/** Whether the next item of the run, or that it has none, comes from its plan. */
export function isItemOfPlan(state: RunState): boolean {
  const item = state.context?.[NEXT_ITEM];
  return item === undefined
    ? itemOfPhase(state) === undefined
    : Object.values(itemsOf(state)).includes(item);
}

/** A phase that the run does not share with its plan has no item. */
function itemOfPhase(state: RunState): unknown {
  const { current, name } = state.phase;
  const names = state.source?.said?.['phases'];
  const isShared = !Array.isArray(names) || names[current - 1] === name;
  return isShared ? itemsOf(state)[current] : undefined;
}

function itemsOf({ source }: RunState): JsonObject {
  const items = source?.said?.['next_items'];
  return isObject(items) ? items : {};
}

/** The plan that a person started the run from and that feeds it, as a path in the project. */
export const startedPlanOf = ({ source }: RunState): string | undefined =>
  source?.kind === 'plan' && source['started'] === true
    ? source.path
    : undefined;

/** The plan of a run, whether detected or started from; with `~` or from the root of the disk if outside the project. */
export function planOf({ source }: RunState): string | undefined {
  if (source?.kind === 'plan') return source.path;
  const outside = source?.['plan'];
  return typeof outside === 'string' ? outside : undefined;
}
