import type { RunState, StoredRun } from '../state/types.ts';
import { positionKey } from '../workflow/machine/next-action.ts';
import { inspectRun } from '../workflow/run.ts';
import { isObject } from '../util/json.ts';

/** The move that the agent of a driven run wants to make, for the driver. */
export interface RequestedAdvance {
  output: string | undefined;
  artefacts: string[];
  force: boolean;
}

/** Null if nothing was requested at the position where the run stands. */
export function requestedAdvance({ runId, state }: StoredRun): RequestedAdvance | null {
  const { requested_advance: requested } = state;
  const run = inspectRun(state);
  if (!isObject(requested) || run.kind !== 'template' || run.machine.status !== 'running')
    return null;
  if (requested['position'] !== positionKey(runId, run.machine)) return null;
  const { output, artefacts, force } = requested;
  return {
    output: typeof output === 'string' ? output : undefined,
    artefacts: Array.isArray(artefacts) ? artefacts.filter((path) => typeof path === 'string') : [],
    force: force === true,
  };
}

export function withRequest(
  { runId, state }: StoredRun,
  { output, artefacts, force }: RequestedAdvance,
  at: string,
): RunState {
  const run = inspectRun(state);
  if (run.kind !== 'template') return state;
  return {
    ...state,
    requested_advance: {
      position: positionKey(runId, run.machine),
      ...(output === undefined ? {} : { output }),
      ...(artefacts.length === 0 ? {} : { artefacts }),
      ...(force ? { force } : {}),
      at,
    },
  };
}

export function withoutRequest(state: RunState): RunState {
  if (state.requested_advance === undefined) return state;
  const { requested_advance: _requested, ...rest } = state;
  return rest;
}
