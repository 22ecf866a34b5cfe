import { isLongAgo, recencyOf } from '../sessions/select-run.ts';
import { isItemOfPlan, NEXT_ITEM, startedPlanOf } from '../state/phases.ts';
import type { RunState, StoredRun } from '../state/types.ts';
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
  const found = ownSources(state, sources)[0]?.reading.state ?? 'none';
  if (found === 'none') return 'gone';
  return found === 'unclear' ? 'active' : found;
}

/** The sources that the run comes from: of the sections of the local file only those that name the same workflow. */
export function ownSources(state: RunState, sources: readonly SourceFile[]): SourceFile[] {
  return sourcesAt(state.source?.path, sources).filter(({ kind, reading }) => {
    if (kind !== state.source?.kind) return false;
    const declared = 'said' in reading ? reading.said : undefined;
    return kind === 'plan' || (declared && sectionSlugs(state).has(slugOf(declared.workflow)));
  });
}

const indexes = new WeakMap<readonly SourceFile[], Map<string | undefined, SourceFile[]>>();

/** A thousand runs would otherwise each look through a thousand sources. */
function sourcesAt(path: string | undefined, sources: readonly SourceFile[]): SourceFile[] {
  let index = indexes.get(sources);
  if (index === undefined) {
    index = new Map(sources.map((each) => [each.path, []]));
    for (const each of sources) index.get(each.path)?.push(each);
    indexes.set(sources, index);
  }
  return index.get(path) ?? [];
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

/** A declared workflow as a state file or record stores it, for a merge; undefined if it is none. */
export function parseDeclared(value: unknown): DeclaredWorkflow | undefined {
  return isDeclared(value) ? value : undefined;
}

function isDeclared(value: unknown): value is DeclaredWorkflow {
  if (!isObject(value)) return false;
  const { workflow, required_reading: reading, key_reminders: reminders, context } = value;
  const { phase = {}, phases = [], skipped = {}, undone = [] } = value;
  return (
    typeof workflow === 'string' &&
    [context, phase, skipped].every(isObject) &&
    [reading, reminders, phases, undone].every(Array.isArray)
  );
}
