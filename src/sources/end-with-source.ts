import { withoutHolder } from '../sessions/holder.ts';
import type { EventName } from '../state/journal.ts';
import type { RunState, Run } from '../state/types.ts';
import { sameJson } from '../text/json.ts';
import { humanizeStatus } from '../text/relative-time.ts';
import { asWord } from '../text/sanitize.ts';
import { declaredFor, recordForRun, recordOfSource } from './source-records.ts';
import {
  isEdited,
  ownSources,
  sourcesAt,
  sourceStateOf,
  sourceTime,
  type SourceState,
  withStatus,
} from './source-state.ts';
import type { RunDraft, SyncChange, SyncInput } from './types.ts';

/** The draft of a run that exists. */
type DraftOfRun = RunDraft & { run: Run };

/** What becomes of a run whose fields were merged: its source says whether it goes on. Null if nothing changes. */
export function changeOf(draft: RunDraft, input: SyncInput): SyncChange | null {
  const { run, state } = draft;
  if (run === null) return { ...draft, run, kind: 'create' };
  const existing: DraftOfRun = { ...draft, run };
  const sourceState = sourceStateOf(state, input.sources);
  const isChanged = sourceState !== (state.source?.status ?? 'active');
  if (isEnding(existing, sourceState, isChanged, input))
    return endOf(existing, sourceState, input);
  // A source that cannot be read, and a cancellation that another source overrules, change nothing.
  const isNoted =
    isChanged &&
    sourceState !== 'none' &&
    sourceState !== 'unreadable' &&
    sourceState !== 'cancelled';
  return isNoted
    ? noteOf(existing, sourceState, input)
    : mergeOf(existing, input);
}

/** A run that only hooks have written ends with its source; another one is kept, and its guidance says so. */
function isEnding(
  draft: DraftOfRun,
  sourceState: SourceState,
  isChanged: boolean,
  input: SyncInput,
): boolean {
  const { run, updates } = draft;
  switch (sourceState) {
    case 'gone':
      return updates.length === 0 && !isEditedRun(run, input);
    case 'finished':
      return !isEditedRun(run, input) && !isOverruled(draft, input);
    case 'cancelled':
      return isChanged && !isOverruled(draft, input);
    default:
      return false;
  }
}

function isEditedRun(run: Run, { sourceRecords }: SyncInput): boolean {
  return isEdited(run.state, declaredFor(sourceRecords, run.runId));
}

/** Whether another source that still declares the run was edited after its own one said that it is over. */
function isOverruled(
  { run, state, updates }: DraftOfRun,
  input: SyncInput,
): boolean {
  const overSince = sourceTime(state, input.sources) ?? 0;
  return updates.some((update) => {
    const record = recordOfSource(input.sourceRecords, update);
    const isUnchanged =
      record?.run_id === run.runId && sameJson(record.said, update.said);
    return !isUnchanged && (update.modifiedAt ?? Infinity) >= overSince;
  });
}

function mergeOf(draft: DraftOfRun, input: SyncInput): SyncChange | null {
  const { run, state, updates } = draft;
  // A source that changes nothing in the run still needs a record of what it declares.
  const isRecorded = updates.every(
    (update) =>
      update.path === state.source?.path ||
      sameJson(recordForRun(run.runId, update, input)?.said, update.said),
  );
  return isRecorded && sameJson(state, run.state) ? null : merged(draft, state);
}

/** A change of which the session that holds the run need not know. */
function merged(draft: DraftOfRun, state: RunState): SyncChange {
  return { ...draft, kind: 'update', event: 'merged', message: null, state };
}

function endOf(
  draft: DraftOfRun,
  sourceState: SourceState,
  input: SyncInput,
): SyncChange {
  const { run, state } = draft;
  const statement = statementOf(state, sourceState, input);
  const message = `${statement}, so its run has ended; \`holdfast reopen ${run.runId}\` brings it back`;
  const ended = withoutReason(withStatus(state, sourceState));
  if (sourceState === 'finished')
    return {
      ...draft,
      kind: 'end',
      message,
      as: 'completed',
      state: { ...ended, status: 'completed' },
    };
  return {
    ...draft,
    kind: 'end',
    message,
    as: sourceState === 'gone' ? 'away' : 'cancelled',
    state: { ...ended, status_reason: statement, status: 'cancelled' },
  };
}

/** The run goes on, and notes what its source says now. */
function noteOf(
  draft: DraftOfRun,
  sourceState: SourceState,
  input: SyncInput,
): SyncChange {
  const { run, state } = draft;
  const statement = statementOf(state, sourceState, input);
  const noted = withStatus(state, sourceState);
  const note = (
    consequence: string,
    event: EventName,
    next: RunState,
  ): SyncChange => ({
    ...draft,
    kind: 'update',
    event,
    message: `${statement}${consequence}`,
    state: next,
  });

  const resume = `\`holdfast resume ${run.runId}\` continues it`;
  switch (sourceState) {
    case 'paused':
      return note(`, so its run is paused; ${resume}`, 'paused', {
        ...withoutReason(noted),
        status_reason: statement,
        status: 'paused',
      });
    case 'not_started':
      return note(
        `, so this session no longer holds its run; ${resume}`,
        'released',
        withoutHolder(noted),
      );
    case 'gone':
      return note(
        `; its run ${run.runId} stays with this session and follows that file no longer`,
        'merged',
        noted,
      );
    case 'active': {
      const wasPausedBySource =
        state.status === 'paused' && state.source?.status === 'paused';
      if (!wasPausedBySource) return merged(draft, noted);
      return note(', so its run is in progress again', 'resumed', {
        ...withoutReason(noted),
        status: 'in_progress',
      });
    }
    default:
      return merged(draft, noted);
  }
}

/** A clause about what the source says now. */
function statementOf(
  state: RunState,
  sourceState: SourceState,
  { sources }: SyncInput,
): string {
  const [own] = ownSources(state, sources);
  const path = asWord(own?.movedTo ?? state.source?.path ?? '');
  const name = asWord(state.workflow);
  if (sourceState !== 'gone')
    return `${path} says that ${name} is ${humanizeStatus(sourceState)}`;
  const isThere = sourcesAt(state.source?.path, sources).length > 0;
  return isThere ? `${path} no longer declares ${name}` : `${path} was gone`;
}

function withoutReason({
  status_reason: _reason,
  ...state
}: RunState): RunState {
  return state;
}
