import { isLongAgo, recencyOf } from '../sessions/select-run.ts';
import { isItemOfPlan, NEXT_ITEM, startedPlanOf } from '../state/phases.ts';
import { type RunState, type StoredRun, PHASE_STATUSES } from '../state/types.ts';
import { slugOf } from '../text/slug.ts';
import type { SourceFile } from './types.ts';
import type { DeclaredWorkflow } from './parse/types.ts';
import { isObject } from '../text/json.ts';

/**
 * What the source of a run says about it now: `gone` if no file declares the workflow any more, `none` if the run comes
 * from no file. A source that is not understood says nothing against the run.
 */
export type SourceState =
  | 'active'
  | 'paused'
  | 'cancelled'
  | 'not_started'
  | 'finished'
  | 'gone'
  | 'unreadable'
  | 'none';

export function sourceStateOf(state: RunState, sources: readonly SourceFile[]): SourceState {
  const { kind, path } = state.source ?? {};
  if (path === undefined || (kind !== 'plan' && kind !== 'local-file')) return 'none';
  if (sourcesAt(path, sources).some(({ reading }) => reading.state === 'unreadable'))
    return 'unreadable';
  const own = ownSources(state, sources);
  const found = STATES.find((known) => own.some(({ reading }) => reading.state === known));
  return found === 'unclear' ? 'active' : (found ?? 'gone');
}

/** If a file names a workflow twice, the first of these counts. */
const STATES = ['active', 'unclear', 'paused', 'not_started', 'finished', 'cancelled'] as const;

/** With a thousand runs and plans, looking through all plans for each run would take most of the time. */
const byPath = new WeakMap<readonly SourceFile[], Map<string, SourceFile[]>>();

function sourcesAt(path: string, sources: readonly SourceFile[]): readonly SourceFile[] {
  const known = byPath.get(sources) ?? new Map<string, SourceFile[]>();
  if (known.size === 0) {
    for (const source of sources)
      known.set(source.path, [...(known.get(source.path) ?? []), source]);
    byPath.set(sources, known);
  }
  return known.get(path) ?? [];
}

/** The sources that the run comes from: of the sections of the local file only those that name the same workflow. */
export function ownSources(state: RunState, sources: readonly SourceFile[]): SourceFile[] {
  const { path = '', kind: own } = state.source ?? {};
  return sourcesAt(path, sources).filter(({ kind, reading }) => {
    if (kind !== own || kind === 'plan') return kind === own;
    const declared = 'said' in reading ? reading.said : undefined;
    return declared !== undefined && sectionSlugs(state).has(slugOf(declared.workflow));
  });
}

/** The plans that a person started one of these runs from. */
export function startedPlans(runs: readonly StoredRun[]): ReadonlySet<string> {
  return new Set(runs.flatMap(({ state }) => startedPlanOf(state) ?? []));
}

/** A section is recognised by the run's name, and by the name it declared last if the run was renamed. */
export function sectionSlugs({ workflow, source }: RunState): ReadonlySet<string> {
  return new Set([workflow, parseDeclared(source?.said)?.workflow ?? workflow].map(slugOf));
}

/**
 * True if somebody other than a hook wrote to the run: a command (`adopted`), or an editor, which leaves content that no
 * source has declared.
 */
export function isEdited(
  state: RunState,
  declaredByOthers: readonly DeclaredWorkflow[] = [],
): boolean {
  const own = parseDeclared(state.source?.said);
  if (state.adopted === true || own === undefined) return state.adopted === true;
  const declared = [own, ...declaredByOthers];
  const known = new Set(declared.flatMap(contentOf));
  const current = declared.flatMap(({ phase }) => phase?.current ?? []);
  return (
    (current.length > 0 && !current.includes(state.phase.current)) ||
    contentOf(state).some((entry) => !known.has(entry))
  );
}

function contentOf({
  required_reading: reading,
  key_reminders: reminders = [],
  context = {},
}: Pick<RunState, 'required_reading' | 'key_reminders' | 'context'>): string[] {
  return [reading, reminders, Object.entries(context)].flatMap((list, kind) =>
    list.map((entry) => JSON.stringify([kind, entry])),
  );
}

/** Without the next item of a plan that says finished: that item was the last one, and it is done. */
export function withoutDoneItem(run: StoredRun, sources: readonly SourceFile[]): StoredRun {
  const { state } = run;
  const { [NEXT_ITEM]: item, ...context } = state.context ?? {};
  if (item === undefined || !isItemOfPlan(state) || sourceStateOf(state, sources) !== 'finished')
    return run;
  return { ...run, state: { ...state, context } };
}

/**
 * True if the run was untouched for 14 days. Hooks write to a run whenever they restore it, so a run that only hooks
 * have written is as old as its source.
 */
export function isStale(run: StoredRun, sources: readonly SourceFile[], now: Date): boolean {
  const written = sourceTime(run.state, sources);
  const touched = written === undefined || isEdited(run.state) ? recencyOf(run) : 0;
  return isLongAgo(Math.max(written ?? 0, touched), now);
}

/** When the source of the run was last written; of a run without one, its state file. */
export function writtenAt(run: StoredRun, sources: readonly SourceFile[]): number {
  return sourceTime(run.state, sources) ?? run.modifiedAt;
}

/** When the source of the run was last written. */
export function sourceTime(state: RunState, sources: readonly SourceFile[]): number | undefined {
  const own = ownSources(state, sources);
  return own.flatMap(({ modifiedAt }) => modifiedAt ?? []).toSorted((a, b) => b - a)[0];
}

/** A declared workflow as a state file or record stores it, for a merge; invalid fields are dropped. */
export function parseDeclared(value: unknown): DeclaredWorkflow | undefined {
  if (!isObject(value) || typeof value['workflow'] !== 'string') return undefined;
  const { workflow_type: type, phase, phases, context, skipped, undone } = value;
  return {
    workflow: value['workflow'],
    ...(typeof type === 'string' && { workflow_type: type }),
    ...(isDeclaredPhase(phase) && { phase }),
    ...(isListOf<string>('string', phases) && { phases }),
    required_reading: stringsIn(value['required_reading']),
    key_reminders: stringsIn(value['key_reminders']),
    context: isObject(context) ? context : {},
    ...(isSkipped(skipped) && { skipped }),
    ...(isListOf<number>('number', undone) && { undone }),
  };
}

function isDeclaredPhase(value: unknown): value is NonNullable<DeclaredWorkflow['phase']> {
  if (!isObject(value)) return false;
  const { current, total, name = '', status, total_known: isKnown = false, line = '' } = value;
  return (
    isListOf('number', [current ?? 1, total ?? 1]) &&
    isListOf('string', [name, line]) &&
    isKnown === false &&
    (status === undefined || PHASE_STATUSES.some((known) => known === status))
  );
}

function isSkipped(value: unknown): value is Record<string, string> {
  return isObject(value) && isListOf('string', Object.values(value));
}

function isListOf<T>(type: 'string' | 'number', value: unknown): value is T[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === type);
}

function stringsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
