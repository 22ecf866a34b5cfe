import type { Run, RunState } from '../state/types.ts';
import { positionKey } from '../templates/next.ts';
import { isObject } from '../text/json.ts';

/** The move that the agent of a driven run wants to make, for the driver. */
export interface RequestedAdvance {
  output: string | undefined;
  artefacts: string[];
  force: boolean;
  /** Whether the step that is entered waits for the user's word. */
  wait?: boolean;
}

/** Null if nothing was requested at the position where the run stands. */
export function requestedAdvance(run: Run): RequestedAdvance | null {
  if (run.kind !== 'template' || run.machine.status !== 'running') return null;
  const { requested_advance: requested } = run.state;
  if (!isObject(requested)) return null;
  if (requested['position'] !== positionKey(run.runId, run.machine))
    return null;
  const { output, artefacts, force, wait } = requested;
  const paths: unknown[] = Array.isArray(artefacts) ? artefacts : [];
  return {
    output: typeof output === 'string' ? output : undefined,
    artefacts: paths.filter((path) => typeof path === 'string'),
    force: force === true,
    wait: wait === true,
  };
}

export function withoutRequest(state: RunState): RunState {
  if (state.requested_advance === undefined) return state;
  const { requested_advance: _requested, ...rest } = state;
  return rest;
}
