import { holderOf, releaseRun } from '../sessions/holder.ts';
import type { RunState } from '../state/types.ts';
import { sameJson } from '../text/json.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { RunDraft, EndOfRun, SyncChange, SyncInput, UpdateOfRun } from './types.ts';
import { declaredFor, recordOfSource, updatesOf } from './source-records.ts';
import {
  isEdited,
  ownSources,
  sourceStateOf,
  sourceTime,
  type SourceState,
} from './source-state.ts';

/** What becomes of a run whose fields were merged: its source says whether it goes on. Null if nothing changes. */
export function changeOf(draft: RunDraft, input: SyncInput): SyncChange | null {
  const { run, state, updates, archivedRunId } = draft;
  if (run === null)
    return { kind: 'create', state, updates, ...(archivedRunId && { archivedRunId }) };
  const says = sourceStateOf(state, input.sources);
  const isChanged = says !== (state.source?.status ?? 'active');
  // A run that only hooks have written ends with its source; another one is kept, and its guidance says so.
  const isOver =
    says === 'finished' || says === 'gone'
      ? !isEdited(run.state, declaredFor(input.sourceRecords, run.runId))
      : says === 'cancelled' && isChanged;
  const isEnding = isOver && !(says === 'gone' ? updates.length > 0 : isOverruled(draft, input));
  const isNoted = isChanged && says !== 'none' && says !== 'unreadable' && says !== 'cancelled';
  const merged = { kind: 'update', run, updates, event: 'merged', message: null } as const;
  if (!isEnding && !isNoted)
    return draft.isRecorded && sameJson(state, run.state) ? null : { ...merged, state };

  const [own] = ownSources(state, input.sources);
  const path = truncate(sanitizeLine(own?.movedTo ?? state.source?.path ?? ''), 200);
  const name = nameIn(state.workflow);
  const statement = `${path} says that ${name}`;
  const resume = `\`holdfast resume ${run.runId}\` continues it`;
  const noted = withStatus(state, says);
  const { status_reason: _reason, ...left } = noted;
  const note = (message: string | null, fields: Partial<UpdateOfRun> = {}): SyncChange => ({
    ...merged,
    state: noted,
    message,
    ...fields,
  });
  const end = (as: EndOfRun['as'], why: string, reason?: string): SyncChange => ({
    kind: 'end',
    run,
    updates,
    state: {
      ...left,
      status: as === 'completed' ? as : 'cancelled',
      ...(reason && { status_reason: reason }),
    },
    as,
    message: `${why}; \`holdfast reopen ${run.runId}\` brings it back`,
  });

  switch (says) {
    case 'cancelled':
      return end(
        says,
        `${statement} is cancelled, so its run has ended`,
        `${path} says that it is cancelled`,
      );
    case 'finished':
      return isEnding
        ? end('completed', `${statement} is finished, so its run is completed`)
        : note(null);
    case 'gone': {
      const gone = describeGone(state, input, path);
      return isEnding
        ? end('away', `${gone}, so the run of ${name} was archived`, gone)
        : note(
            `${gone}; its run ${run.runId} stays with this session and follows that file no longer`,
          );
    }
    case 'paused':
      return note(`${statement} is paused, so its run is paused; ${resume}`, {
        event: says,
        state: { ...left, status: says, status_reason: `${path} says that it is paused` },
      });
    case 'not_started':
      return note(
        `${statement} has not started, so this session no longer holds its run; ${resume}`,
        { event: 'released', state: releaseRun(noted, holderOf(noted), input.now) },
      );
    default:
      return state.status === 'paused' && state.source?.status === 'paused'
        ? note(`${statement} goes on, so its run is in progress again`, {
            event: 'resumed',
            state: { ...left, status: 'in_progress' },
          })
        : note(null);
  }
}

/** Whether another source that still declares the run was edited after its own one said that it is over. */
function isOverruled({ run, state, updates }: RunDraft, input: SyncInput): boolean {
  const since = sourceTime(state, input.sources) ?? 0;
  return updates.some((update) => {
    const record = recordOfSource(input.sourceRecords, update);
    const isSame = record?.run_id === run?.runId && sameJson(record?.said, update.declared);
    return !isSame && (update.source.modifiedAt ?? Infinity) >= since;
  });
}

function nameIn(workflow: string): string {
  return truncate(sanitizeLine(workflow), 80);
}

function describeGone(
  { source, workflow }: RunState,
  { sources }: SyncInput,
  path: string,
): string {
  const atPath = sources.filter((each) => each.path === source?.path);
  if (atPath.length === 0) return `${path} is gone`;
  const [other] = atPath.flatMap(updatesOf);
  const name = nameIn(workflow);
  return other === undefined
    ? `${path} no longer declares ${name}`
    : `${path} names ${nameIn(other.declared.workflow)} now, no longer ${name}`;
}

/** The run with what its source says about it now. */
export function withStatus(state: RunState, says: SourceState): RunState {
  const { source } = state;
  if (source?.kind !== 'plan' && source?.kind !== 'local-file') return state;
  const { status: _before, ...rest } = source;
  const isStored = says !== 'active' && says !== 'none' && says !== 'unreadable';
  return { ...state, source: { ...rest, ...(isStored && { status: says }) } };
}
