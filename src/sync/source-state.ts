import type { DeclaredWorkflow } from '../detect/types.ts';
import { isLongAgo, recencyOf } from '../sessions/select-run.ts';
import { isItemOfPlan, NEXT_ITEM } from '../state/next-item.ts';
import { startedPlanOf } from '../state/started-plan.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { sameJson } from '../util/json.ts';
import { slugOf } from '../util/slug.ts';
import { parseDeclared } from './parse-declared.ts';
import type { SourceFile } from './types.ts';

/**
 * What the source of a run says about it now: `inactive` if the file is there and declares neither this workflow nor
 * its end, `none` if the run comes from no file.
 */
export type SourceState = 'declared' | 'finished' | 'inactive' | 'gone' | 'unreadable' | 'none';

export function sourceStateOf({ state }: StoredRun, sources: readonly SourceFile[]): SourceState {
  const { source } = state;
  if (source?.path === undefined || (source.kind !== 'plan' && source.kind !== 'local-file'))
    return 'none';
  const atPath = sources.filter(({ path }) => path === source.path);
  if (atPath.some(({ reading }) => reading.state === 'unreadable')) return 'unreadable';
  const own = atPath.filter((candidate) => isSourceOf(state, candidate));
  if (own.some(({ reading }) => reading.state === 'active')) return 'declared';
  if (own.some(({ reading }) => reading.state === 'finished')) return 'finished';
  return source.kind === 'plan' && atPath.length > 0 ? 'inactive' : 'gone';
}

/** The plans that a person started one of these runs from. */
export function startedPlans(runs: readonly StoredRun[]): ReadonlySet<string> {
  return new Set(runs.flatMap(({ state }) => startedPlanOf(state) ?? []));
}

/** Whether the run comes from this source: from a section of the local file only if both name the same workflow. */
export function isSourceOf(state: RunState, { kind, path, reading }: SourceFile): boolean {
  const { source } = state;
  if (source?.path !== path || source.kind !== kind) return false;
  if (kind === 'plan') return true;
  const declared = 'said' in reading ? reading.said : undefined;
  if (declared === undefined) return reading.state === 'finished';
  return sectionSlugs(state).has(slugOf(declared.workflow));
}

/** A section is recognised by the run's name, and by the name it declared last if the run was renamed. */
export function sectionSlugs(state: RunState): ReadonlySet<string> {
  const declared = parseDeclared(state.source?.said);
  return new Set([state.workflow, ...(declared ? [declared.workflow] : [])].map(slugOf));
}

/**
 * True if somebody other than a hook wrote to the run: a command (`adopted`), or an editor, which leaves content that no
 * source has declared.
 */
export function isEdited(
  { adopted, phase, source, ...state }: RunState,
  declaredByOthers: readonly DeclaredWorkflow[] = [],
): boolean {
  if (adopted === true) return true;
  const own = parseDeclared(source?.said);
  if (own === undefined) return false;
  const declared = [own, ...declaredByOthers];
  const reading = new Set(declared.flatMap((workflow) => workflow.required_reading));
  const reminders = new Set(declared.flatMap((workflow) => workflow.key_reminders));
  const current = declared.flatMap((workflow) => workflow.phase?.current ?? []);
  return (
    (current.length > 0 && !current.includes(phase.current)) ||
    state.required_reading.some((entry) => !reading.has(entry)) ||
    (state.key_reminders ?? []).some((entry) => !reminders.has(entry)) ||
    Object.entries(state.context ?? {}).some(
      ([key, value]) => !declared.some(({ context }) => sameJson(context[key], value)),
    )
  );
}

/** True if the next sync ends the run: only hooks wrote to it, and its source no longer declares it. */
export function isEndedBySource(run: StoredRun, sources: readonly SourceFile[]): boolean {
  const says = sourceStateOf(run, sources);
  if (isEdited(run.state)) return false;
  if (says === 'finished') return true;
  return (says === 'gone' || says === 'inactive') && run.state.source?.replaced_by === undefined;
}

/** Without the next item of a plan that says finished: that item was the last one, and it is done. */
export function withoutDoneItem(run: StoredRun, sources: readonly SourceFile[]): StoredRun {
  const { state } = run;
  const { [NEXT_ITEM]: item, ...context } = state.context ?? {};
  if (item === undefined || !isItemOfPlan(state) || sourceStateOf(run, sources) !== 'finished')
    return run;
  return { ...run, state: { ...state, context } };
}

/**
 * True if the run was untouched for 14 days. Hooks write to a run whenever they restore it, so a run that only hooks
 * have written is as old as its source.
 */
export function isStale(run: StoredRun, sources: readonly SourceFile[], now: Date): boolean {
  const written = sources
    .filter((source) => isSourceOf(run.state, source))
    .flatMap(({ modifiedAt }) => modifiedAt ?? []);
  const recency = recencyOf(run);
  const touched =
    written.length === 0 ? recency : Math.max(...written, isEdited(run.state) ? recency : 0);
  return isLongAgo(touched, now);
}
