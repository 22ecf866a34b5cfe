import { isLongAgo, recencyOf } from '../sessions/select-run.ts';
import {
  isCounted,
  isItemOfPlan,
  NEXT_ITEM,
  startedPlanOf,
} from '../state/phases.ts';
import type { EventName } from '../state/journal.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { slugOf } from '../text/slug.ts';
import type {
  DeclaredWorkflow,
  RunDraft,
  SourceFile,
  SyncChange,
  SyncInput,
} from './types.ts';
import { sameJson } from '../text/json.ts';
import { withoutHolder } from '../sessions/holder.ts';
import { humanizeStatus } from '../text/relative-time.ts';
import { asWord } from '../text/sanitize.ts';
import {
  declaredFor,
  parseDeclared,
  recordForRun,
  recordOfSource,
} from './source-records.ts';
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
  if (path === undefined || (kind !== 'plan' && kind !== 'local-file'))
    return 'none';
  if (sourcesAt(path, sources).some((source) => source.state === 'unreadable'))
    return 'unreadable';
  const found = ownSources(state, sources)[0]?.state ?? 'none';
  if (found === 'none') return 'gone';
  if (found !== 'unclear') return found;
  const hasPhasesLeft =
    isCounted(state.phase) && state.phase.current < state.phase.total;
  return kind === 'plan' || hasPhasesLeft ? 'active' : 'finished';
}

/** The sources that the run comes from: of the sections of the local file only those that name the same workflow. */
export const ownSources = (
  state: RunState,
  sources: readonly SourceFile[],
): SourceFile[] =>
  sourcesAt(state.source?.path, sources).filter((source) => {
    if (source.kind !== state.source?.kind) return false;
    const said = 'said' in source ? source.said : undefined;
    return (
      source.kind === 'plan' ||
      (said && sectionSlugs(state).has(slugOf(said.workflow)))
    );
  });

const sourcesAt = (
  path: string | undefined,
  sources: readonly SourceFile[],
): SourceFile[] => sources.filter((source) => source.path === path);

/** The plans that a person started one of these runs from. */
export const startedPlans = (runs: readonly StoredRun[]): ReadonlySet<string> =>
  new Set(runs.flatMap(({ state }) => startedPlanOf(state) ?? []));

/** A section is recognised by the run's name, and by the name it declared last if the run was renamed. */
export const sectionSlugs = ({
  workflow,
  source,
}: RunState): ReadonlySet<string> =>
  new Set(
    [workflow, parseDeclared(source?.said)?.workflow ?? workflow].map(slugOf),
  );

/** Whether a command wrote to the run (`adopted`), or an editor, which leaves content that no source has declared. */
function isEdited(
  state: RunState,
  declaredByOthers: readonly DeclaredWorkflow[] = [],
): boolean {
  const own = parseDeclared(state.source?.said);
  if (state.adopted === true || own === undefined)
    return state.adopted === true;
  const declared = [own, ...declaredByOthers];
  const content = new Set(declared.flatMap(contentOf));
  const current = declared.flatMap(({ phase }) => phase?.current ?? []);
  return (
    (current.length > 0 && !current.includes(state.phase.current)) ||
    contentOf(state).some((entry) => !content.has(entry))
  );
}

const contentOf = ({
  required_reading: reading,
  key_reminders: reminders = [],
  context = {},
}: Pick<
  RunState,
  'required_reading' | 'key_reminders' | 'context'
>): string[] =>
  [reading, reminders, Object.entries(context)].flatMap((list, kind) =>
    list.map((entry) => JSON.stringify([kind, entry])),
  );

/** Without the next item of a plan that says finished: that item was the last one, and it is done. */
export function withoutDoneItem(
  run: StoredRun,
  sources: readonly SourceFile[],
): StoredRun {
  const { state } = run;
  const { [NEXT_ITEM]: item, ...context } = state.context ?? {};
  if (
    item === undefined ||
    !isItemOfPlan(state) ||
    sourceStateOf(state, sources) !== 'finished'
  )
    return run;
  return withState(run, { ...state, context });
}

/** Untouched for 14 days. Hooks write at every restore, so a run that only they have written is as old as its source. */
export function isStale(
  run: StoredRun,
  sources: readonly SourceFile[],
  now: Date,
): boolean {
  const written = sourceTime(run.state, sources);
  const touched =
    written === undefined || isEdited(run.state) ? recencyOf(run) : 0;
  return isLongAgo(Math.max(written ?? 0, touched), now);
}

/** When the source of the run was last written; of a run without one, its state file. */
export const writtenAt = (
  run: StoredRun,
  sources: readonly SourceFile[],
): number => sourceTime(run.state, sources) ?? run.modifiedAt;

function sourceTime(
  state: RunState,
  sources: readonly SourceFile[],
): number | undefined {
  const own = ownSources(state, sources);
  return own
    .flatMap(({ modifiedAt }) => modifiedAt ?? [])
    .toSorted((a, b) => b - a)[0];
}

/** What becomes of a run whose fields were merged: its source says whether it goes on. Null if nothing changes. */
export function changeOf(draft: RunDraft, input: SyncInput): SyncChange | null {
  const { run, state, updates } = draft;
  if (run === null) return { ...draft, run, kind: 'create' };
  const says = sourceStateOf(state, input.sources);
  const isChanged = says !== (state.source?.status ?? 'active');
  // A run that only hooks have written ends with its source; another one is kept, and its guidance says so.
  const isOver =
    says === 'finished' || says === 'gone'
      ? !isEdited(run.state, declaredFor(input.sourceRecords, run.runId))
      : says === 'cancelled' && isChanged;
  const isEnding =
    isOver &&
    !(says === 'gone' ? updates.length > 0 : isOverruled(draft, input));
  const isNoted =
    isChanged &&
    says !== 'none' &&
    says !== 'unreadable' &&
    says !== 'cancelled';
  const merged = {
    ...draft,
    run,
    kind: 'update',
    event: 'merged',
    message: null,
  } as const;
  if (!isEnding && !isNoted) {
    // A source that changes nothing in the run still needs a record of what it declares.
    const isRecorded = updates.every(
      (update) =>
        update.path === state.source?.path ||
        sameJson(recordForRun(run.runId, update, input)?.said, update.said),
    );
    return isRecorded && sameJson(state, run.state) ? null : merged;
  }

  const [own] = ownSources(state, input.sources);
  const path = asWord(own?.movedTo ?? state.source?.path ?? '');
  const name = asWord(state.workflow);
  const isThere = sourcesAt(state.source?.path, input.sources).length > 0;
  const gone = isThere
    ? `${path} no longer declares ${name}`
    : `${path} was gone`;
  const statement =
    says === 'gone'
      ? gone
      : `${path} says that ${name} is ${humanizeStatus(says)}`;
  const noted = withStatus(state, says);
  const { status_reason: _reason, ...left } = noted;
  const because = { ...left, status_reason: statement };
  if (isEnding) {
    const message = `${statement}, so its run has ended; \`holdfast reopen ${run.runId}\` brings it back`;
    const ending = { ...draft, run, kind: 'end', message } as const;
    return says === 'finished'
      ? { ...ending, as: 'completed', state: { ...left, status: 'completed' } }
      : {
          ...ending,
          as: says === 'gone' ? 'away' : 'cancelled',
          state: { ...because, status: 'cancelled' },
        };
  }
  const note = (
    what: string,
    event: EventName,
    next: RunState,
  ): SyncChange => ({
    ...merged,
    event,
    state: next,
    message: `${statement}${what}`,
  });
  const resume = `\`holdfast resume ${run.runId}\` continues it`;
  if (says === 'paused')
    return note(`, so its run is paused; ${resume}`, says, {
      ...because,
      status: says,
    });
  if (says === 'not_started')
    return note(
      `, so this session no longer holds its run; ${resume}`,
      'released',
      withoutHolder(noted),
    );
  if (says === 'gone')
    return note(
      `; its run ${run.runId} stays with this session and follows that file no longer`,
      'merged',
      noted,
    );
  return says === 'active' &&
    state.status === 'paused' &&
    state.source?.status === 'paused'
    ? note(', so its run is in progress again', 'resumed', {
        ...left,
        status: 'in_progress',
      })
    : { ...merged, state: noted };
}

/** Whether another source that still declares the run was edited after its own one said that it is over. */
function isOverruled(
  { run, state, updates }: RunDraft,
  input: SyncInput,
): boolean {
  const since = sourceTime(state, input.sources) ?? 0;
  return updates.some((update) => {
    const record = recordOfSource(input.sourceRecords, update);
    const isSame =
      record?.run_id === run?.runId && sameJson(record?.said, update.said);
    return !isSame && (update.modifiedAt ?? Infinity) >= since;
  });
}

export function withStatus(state: RunState, says: SourceState): RunState {
  const { source } = state;
  if (source?.kind !== 'plan' && source?.kind !== 'local-file') return state;
  const { status: _before, ...rest } = source;
  const isStored =
    says !== 'active' && says !== 'none' && says !== 'unreadable';
  return { ...state, source: { ...rest, ...(isStored && { status: says }) } };
}
