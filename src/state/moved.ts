import { hasHiddenCharacters } from '../util/hidden-characters.ts';
import { isObject } from '../util/json.ts';
import { RUN_STATUSES, type RunState, type RunStatus } from './types.ts';

/**
 * A run that was moved to another checkout of its repository. It is stored in both, but only one of them can continue
 * it: the other one is paused and names the folder.
 */
export interface MovedTo {
  path: string;
  id: string;
  /** Whether the run was stored there. */
  arrived: boolean;
  was: { status: RunStatus; reason: string | undefined };
}

export interface MovedFrom {
  path: string;
  id: string;
  /** The commit that the checkout began with. */
  base: string;
}

/** Where the run went; null if it is here. */
export function movedTo({ status, moved_to: moved }: RunState): MovedTo | null {
  if (status !== 'paused' || !isObject(moved) || !isObject(moved['was'])) return null;
  const { path, id, arrived, was } = moved;
  const before = RUN_STATUSES.find((known) => known === was['status']);
  if (!isName(path) || !isName(id) || before === undefined) return null;
  const { reason } = was;
  return {
    path,
    id,
    arrived: arrived === true,
    was: { status: before, reason: typeof reason === 'string' ? reason : undefined },
  };
}

/** Where the run came from; null if it was started here. */
export function movedFrom({ moved_from: moved }: RunState): MovedFrom | null {
  if (!isObject(moved)) return null;
  const { path, id, base } = moved;
  return isName(path) && isName(id) && isName(base) ? { path, id, base } : null;
}

/** The state that stays behind. */
export function leftBehind(
  state: RunState,
  { path, id, runId }: { path: string; id: string; runId: string },
): RunState {
  const { status = 'in_progress', status_reason: reason } = state;
  return {
    ...state,
    status: 'paused',
    status_reason: `moved to ${path}, where \`holdfast run ${runId}\` continues it`,
    sessions: { ...state.sessions, current_session_id: null },
    moved_to: {
      path,
      id,
      arrived: false,
      was: { status, ...(reason === undefined ? {} : { reason }) },
    },
  };
}

export function withArrival(state: RunState): RunState {
  return isObject(state.moved_to)
    ? { ...state, moved_to: { ...state.moved_to, arrived: true } }
    : state;
}

/** The state that goes on elsewhere, from the one that was left behind. */
export function departed(state: RunState): RunState {
  const moved = movedTo(state);
  const { status_reason: _reason, ...rest } = withoutMove(state);
  if (moved === null) return withoutMove(state);
  const { status, reason } = moved.was;
  return { ...rest, status, ...(reason === undefined ? {} : { status_reason: reason }) };
}

export function withOrigin(state: RunState, from: MovedFrom): RunState {
  return { ...state, moved_from: from };
}

export function withoutMove(state: RunState): RunState {
  const { moved_to: _to, moved_from: _from, ...rest } = state;
  return rest;
}

/** Both are printed, and the file may come from anybody. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !hasHiddenCharacters(value);
}
