import { join } from 'node:path';
import { parseJson, isObject, type JsonObject } from '../util/json.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { readTextFile } from '../io/read-file.ts';
import { drivenClient } from '../sessions/driven-client.ts';
import { driverFile } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import { stepView } from '../workflow/run-view.ts';

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
