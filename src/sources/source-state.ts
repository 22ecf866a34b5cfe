import { isLongAgo, recencyOf } from '../state/recency.ts';
import { isCounted } from '../state/phase-words.ts';
import {
  isItemOfPlan,
  NEXT_ITEM,
  startedPlanOf,
} from '../state/plan-of-run.ts';
import type { RunState, Run } from '../state/types.ts';
import { slugOf } from '../text/slug.ts';
import { parseDeclared } from './source-records.ts';
import type { DeclaredWorkflow, SourceFile } from './types.ts';
import { withState } from '../state/run.ts';

/**
 * What the source of a run says about it now: `gone` if no file declares the workflow any more, `none` if the run comes
 * from no file. A source that is not understood says nothing against the run.
 */
export type SourceState = Exclude<SourceFile['state'], 'unclear'> | 'gone';

export function sourceStateOf(
  state: RunState,
  sources: readonly SourceFile[],
): SourceState {
  const { kind, path } = state.source ?? {};
  const isFile = kind === 'plan' || kind === 'local-file';
  if (!isFile || path === undefined) return 'none';
  const isUnreadable = sourcesAt(path, sources).some(
    (source) => source.state === 'unreadable',
  );
  if (isUnreadable) return 'unreadable';
  const found = ownSources(state, sources)[0]?.state ?? 'none';
  if (found === 'none') return 'gone';
  if (found !== 'unclear') return found;
  // A section that is not understood, with nothing left to do, is over.
  const hasPhasesLeft =
    isCounted(state.phase) && state.phase.current < state.phase.total;
  return kind === 'plan' || hasPhasesLeft ? 'active' : 'finished';
}

/** The sources that the run comes from: of the sections of the local file only those that name the same workflow. */
export function ownSources(
  state: RunState,
  sources: readonly SourceFile[],
): SourceFile[] {
  return sourcesAt(state.source?.path, sources).filter((source) => {
    if (source.kind !== state.source?.kind) return false;
    if (source.kind === 'plan') return true;
    const said = 'said' in source ? source.said : undefined;
    return said !== undefined && sectionSlugs(state).has(slugOf(said.workflow));
  });
}

export function sourcesAt(
  path: string | undefined,
  sources: readonly SourceFile[],
): SourceFile[] {
  return sources.filter((source) => source.path === path);
}

/** The plans that a person started one of these runs from. */
export function startedPlans(runs: readonly Run[]): ReadonlySet<string> {
  const plans = runs
    .map(({ state }) => startedPlanOf(state))
    .filter((path) => path !== undefined);
  return new Set(plans);
}

/** A section is recognised by the run's name, and by the name it declared last if the run was renamed. */
export function sectionSlugs({
  workflow,
  source,
}: RunState): ReadonlySet<string> {
  const declared = parseDeclared(source?.said);
  return new Set([slugOf(workflow), slugOf(declared?.workflow ?? workflow)]);
}

/** Whether a command wrote to the run (`adopted`), or an editor, which leaves content that no source has declared. */
export function isEdited(
  state: RunState,
  declaredByOthers: readonly DeclaredWorkflow[] = [],
): boolean {
  if (state.adopted === true) return true;
  const own = parseDeclared(state.source?.said);
  if (own === undefined) return false;

  const declared = [own, ...declaredByOthers];
  const phases = declared
    .map(({ phase }) => phase?.current)
    .filter((current) => current !== undefined);
  if (phases.length > 0 && !phases.includes(state.phase.current)) return true;
  const content = new Set(declared.flatMap(contentOf));
  return contentOf(state).some((entry) => !content.has(entry));
}

/** Each required file, reminder and fact, as a text that is the same for the same entry. */
function contentOf({
  required_reading: reading,
  key_reminders: reminders = [],
  context = {},
}: Pick<RunState, 'required_reading' | 'key_reminders' | 'context'>): string[] {
  return [
    ...reading.map((path) => JSON.stringify(['reading', path])),
    ...reminders.map((text) => JSON.stringify(['reminder', text])),
    ...Object.entries(context).map((fact) => JSON.stringify(['fact', fact])),
  ];
}

/** Without the next item of a plan that says finished: that item was the last one, and it is done. */
export function withoutDoneItem(run: Run, sources: readonly SourceFile[]): Run {
  const { state } = run;
  const { [NEXT_ITEM]: item, ...context } = state.context ?? {};
  if (item === undefined || !isItemOfPlan(state)) return run;
  const isFinished = sourceStateOf(state, sources) === 'finished';
  return isFinished ? withState(run, { ...state, context }) : run;
}

/** Untouched for 14 days. Hooks write at every restore, so a run that only they have written is as old as its source. */
export function isStale(
  run: Run,
  sources: readonly SourceFile[],
  now: Date,
): boolean {
  const sourceWrittenAt = sourceTime(run.state, sources);
  const countsFile = sourceWrittenAt === undefined || isEdited(run.state);
  const touchedAt = countsFile ? recencyOf(run) : 0;
  return isLongAgo(Math.max(sourceWrittenAt ?? 0, touchedAt), now);
}

/** When the source of the run was last written; of a run without one, its state file. */
export function writtenAt(run: Run, sources: readonly SourceFile[]): number {
  return sourceTime(run.state, sources) ?? run.modifiedAt;
}

/** When the source of the run was last written; undefined if it has none. */
export function sourceTime(
  state: RunState,
  sources: readonly SourceFile[],
): number | undefined {
  const times = ownSources(state, sources)
    .map(({ modifiedAt }) => modifiedAt)
    .filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The run with what its source says, as far as a later sync has to know that it was noted. */
export function withStatus(
  state: RunState,
  sourceState: SourceState,
): RunState {
  const { source } = state;
  if (source?.kind !== 'plan' && source?.kind !== 'local-file') return state;
  const { status: _before, ...rest } = source;
  const isStored =
    sourceState !== 'active' &&
    sourceState !== 'none' &&
    sourceState !== 'unreadable';
  const noted = isStored ? { ...rest, status: sourceState } : rest;
  return { ...state, source: noted };
}
