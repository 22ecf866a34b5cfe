import { basename } from 'node:path';
import { digestOf } from '../../io/digest.ts';
import { fingerprintFrom, statFingerprint, readTextFile } from '../../io/read-file.ts';
import { isWithinLimits } from '../../util/json.ts';
import { slugOf } from '../../util/slug.ts';
import { isTypeable, isUsableRunId, runIdOf, timeIn, type RunName } from '../paths.ts';
import { readState } from '../read-state.ts';
import type { RunState, StoredRun } from '../types.ts';

export const MAX_STATE_BYTES = 5_000_000;

/** A state file that is not a usable run. The next writer moves `corrupt` files aside; others stay where they are. */
export interface Unreadable {
  path: string;
  why: string;
  corrupt: boolean;
}

export function describeUnreadable({ path, why }: Unreadable): string {
  return `${path} cannot be read: ${why}`;
}

interface ByteBudget {
  bytes: number;
}

/** The ids of runs whose file has another name: written by hand, or made because the name cannot be typed. */
export const writtenIds = new WeakMap<RunState, string>();

/** Runs this process has read already: a transaction lists them again under the lock. */
const cache = new Map<string, { mark: string; run: StoredRun }>();

export function readRun(
  root: string,
  path: string,
  name: RunName,
  budget: ByteBudget = { bytes: MAX_STATE_BYTES },
): StoredRun | Unreadable {
  // `join` would take a tenth of the time it takes to list a thousand runs.
  const fullPath = `${root}/${path}`;
  const cached = cache.get(fullPath);
  if (cached !== undefined) {
    const current = statFingerprint(fullPath);
    if (current !== null && current.mark === cached.mark && current.bytes <= budget.bytes) {
      budget.bytes -= current.bytes;
      return cached.run;
    }
  }
  return parseRun(fullPath, path, name, budget);
}

function parseRun(
  fullPath: string,
  path: string,
  name: RunName,
  budget: ByteBudget,
): StoredRun | Unreadable {
  const unreadable = (why: string, corrupt = false): Unreadable => ({ path, why, corrupt });
  // Links are not followed: a link can point at a file outside the project.
  const file = readTextFile(fullPath, Math.min(budget.bytes, MAX_STATE_BYTES), 'refused');
  if (file.kind === 'absent') return unreadable('file no longer exists');
  if (file.kind === 'refused') return unreadable(file.why, file.why === 'binary');
  budget.bytes -= file.text.length;
  if (!isWithinLimits(file.text)) return unreadable('too large or too deeply nested');
  let json: unknown;
  try {
    json = JSON.parse(file.text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unreadable(error.message, true);
  }
  const run = toRun(json, path, name, file.modifiedAt);
  const mark = 'state' in run ? fingerprintFrom(file.stat) : null;
  if ('state' in run && mark !== null) cache.set(fullPath, { mark, run });
  return run;
}

function toRun(
  json: unknown,
  path: string,
  name: RunName,
  modifiedAt: number,
): StoredRun | Unreadable {
  const reading = readState(json, {
    workflow: name.slug === '' ? name.runId : name.slug,
    createdAt: () => timeIn(name.runId) ?? new Date(modifiedAt).toISOString(),
  });
  if ('defect' in reading) return { path, why: reading.defect, corrupt: true };
  const { state } = reading;
  const { run_id: written } = state;
  if (isUsableRunId(written) && written !== name.runId) writtenIds.set(state, written);
  else if (!isTypeable(name.runId)) writtenIds.set(state, typeableId(name.runId));
  state.run_id = name.runId;
  const slug = name.slug === '' ? slugOf(state.workflow) : name.slug;
  return { runId: name.runId, slug, path, state, modifiedAt };
}

/** The digest keeps names apart that differ only in what cannot be typed. */
function typeableId(fileId: string): string {
  return `${slugOf(fileId)}-${digestOf(fileId).slice(0, 8)}`;
}

export function rereadRun(
  root: string,
  { path, slug, runId }: Omit<StoredRun, 'state' | 'modifiedAt'>,
): StoredRun | undefined {
  const fileId = runIdOf(basename(path)) ?? runId;
  const result = readRun(root, path, { slug, runId: fileId });
  if (!('state' in result)) return undefined;
  return result.runId === runId ? result : withRunId(result, runId);
}

export function withRunId(run: StoredRun, runId: string): StoredRun {
  return { ...run, runId, state: { ...run.state, run_id: runId } };
}
