import type { RunState, StoredRun } from '../state/types.ts';
import { positionKey } from '../templates/next.ts';
import { inspectRun, stepView } from '../templates/run-view.ts';
import { isObject, parseJson, type JsonObject } from '../text/json.ts';
import { join } from 'node:path';
import { HoldfastError } from '../text/holdfast-error.ts';
import { readTextFile } from '../files/read-file.ts';
import { drivenClient } from '../sessions/client-process.ts';
import { driverFile } from '../state/paths.ts';

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

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_BYTES = 100_000;

/** The record that `holdfast run` keeps of a run that it drives; null if there is none that can be read. */
export function readDriverFile(root: string, runId: string): JsonObject | null {
  const file = readTextFile(join(root, driverFile(runId)), MAX_BYTES, 'refused');
  const json = file.kind === 'text' ? parseJson(file.text) : null;
  return isObject(json) ? json : null;
}

/** Whether `holdfast run` has driven the run, which is not over yet. */
export function wasDriven(root: string, runId: string): boolean {
  return readDriverFile(root, runId) !== null;
}

/** Whether this process works for the run in a client that `holdfast run` drives. */
export function isDriven(environment: Environment, runId: string): boolean {
  return drivenClient(environment)?.runId === runId;
}

/**
 * Whether the agent of a driven run has to end its turn: the next step begins a conversation of its own, which only the
 * driver can start.
 */
export function mustEndTurn(
  environment: Environment,
  { runId, state }: Pick<StoredRun, 'runId' | 'state'>,
): boolean {
  const driven = drivenClient(environment);
  const view = driven?.runId === runId ? stepView(state) : null;
  if (driven === null || view?.kind !== 'step' || view.status.status !== 'running') return false;
  const isActionPending = view.action !== null && view.action.state !== 'performed';
  return isActionPending || view.status.agent !== driven.agent;
}

/**
 * A command that outlived its client, or a client that was replaced, must not move the run: the step may be under way
 * again in another client.
 */
export function requireCurrentClient(
  { root, environment }: { root: string; environment: Environment },
  { runId }: { runId: string },
): void {
  const driven = drivenClient(environment);
  if (driven === null || driven.runId !== runId) return;
  const client = readDriverFile(root, runId)?.['client'];
  if (isObject(client) && client['token'] === driven.token) return;
  throw new HoldfastError('client_replaced', `another client works on ${runId} now`, {
    hint: 'nothing was changed; this command belongs to a client that `holdfast run` has replaced',
  });
}
