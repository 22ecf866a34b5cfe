import { isReplaced } from '../state/paths.ts';
import { editDistance } from '../text/closest-match.ts';
import { slugOf } from '../text/slug.ts';
import type { StoredRun } from '../state/types.ts';

export type NamedSelection =
  | { kind: 'run'; run: StoredRun; isPrefix?: true }
  | { kind: 'unknown' }
  | { kind: 'ambiguous'; runs: StoredRun[]; isPrefix?: true };

/**
 * Finds a run by id, slug, workflow name, its template's name, the path of its source or a unique prefix; among equal
 * names, the only active one.
 */
export function findRun(runs: readonly StoredRun[], name: string): NamedSelection {
  const wanted = normalized(name.trim());
  const matches = (test: (candidate: string) => boolean, names = namesOf): StoredRun[] =>
    runs.filter((run) => names(run).some(test));
  const firstFilled = (...lists: (() => StoredRun[])[]): StoredRun[] =>
    lists.map((list) => list()).find((list) => list.length > 0) ?? [];

  const isSame = (candidate: string): boolean => candidate === wanted;
  const exact = firstFilled(
    () => runs.filter((run) => run.runId === name.trim()),
    () => matches(isSame),
    () => matches(isSame, templateNames),
    () => matches((path) => path === asPath(wanted), sourcePaths),
  );
  const startsSo = (candidate: string): boolean => candidate.startsWith(wanted);
  const found =
    exact.length > 0 || wanted === ''
      ? exact
      : firstFilled(
          () => matches(startsSo),
          () => matches(startsSo, templateNames),
          // Only a name that is clearly a path: a single letter is the beginning of far too many paths.
          () =>
            wanted.includes('/')
              ? matches((path) => path.startsWith(asPath(wanted)), sourcePaths)
              : [],
        );
  const [first, ...rest] = found;
  if (first === undefined) return { kind: 'unknown' };
  const how = exact.length > 0 ? {} : { isPrefix: true as const };
  if (rest.length === 0) return { kind: 'run', run: first, ...how };
  const [active, ...moreActive] = found.filter(isActive);
  return active !== undefined && moreActive.length === 0 && exact.length > 0
    ? { kind: 'run', run: active }
    : { kind: 'ambiguous', runs: byRecency(found), ...how };
}

/** The runs that may have been meant by a name that no run has. */
export function nearRuns(runs: readonly StoredRun[], name: string): StoredRun[] {
  const wanted = normalized(name.trim());
  return runs.filter((run) => namesOf(run).some((text) => isNear(text, wanted)));
}

/** Whether the name is the id of the run, its slug or the name of its workflow. */
export function hasName(run: StoredRun, name: string): boolean {
  return namesOf(run).includes(normalized(name.trim()));
}

/** A state that an imported one replaced is found by its id only, because the run itself has the same names. */
function namesOf({ runId, slug, state }: StoredRun): string[] {
  const names = isReplaced(runId) ? [runId] : [runId, slug, slugOf(state.workflow), state.workflow];
  return names.map(normalized);
}

/** The name in the template, and that of its file, by which it may have been started. */
function templateNames({ state: { template, source } }: StoredRun): string[] {
  const name = template?.['name'];
  if (typeof name !== 'string') return [];
  const file = source?.kind === 'template' ? source.path : undefined;
  const base = file
    ?.split('/')
    .at(-1)
    ?.replace(/\.\w+$/, '');
  return [name, slugOf(name), ...(base === undefined ? [] : [base])].map(normalized);
}

/** The file that declares the run. */
function sourcePaths({ runId, state: { source } }: StoredRun): string[] {
  const path = source?.path;
  return typeof path !== 'string' || isReplaced(runId) ? [] : [normalized(path)];
}

function asPath(name: string): string {
  return name.replace(/^@/, '').replace(/^(?:\.\/)+/, '');
}

/** The shortest name that means this run among all of these and can be typed as it is. */
export function shortName(run: StoredRun, runs: readonly StoredRun[]): string {
  const names = [run.slug, run.state.source?.path ?? ''];
  const isMeant = (name: string): boolean => {
    const found = findRun(runs, name);
    return found.kind === 'run' && found.run.runId === run.runId;
  };
  return names.find((name) => canBeTyped(name) && isMeant(name)) ?? run.runId;
}

/** Whether neither a shell nor a slash command changes it. */
function canBeTyped(name: string): boolean {
  return /^[\p{L}\p{N}\p{M}._/-]+$/u.test(name) && !name.startsWith('-');
}

function normalized(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

export function isActive(run: StoredRun): boolean {
  return run.state.status === 'in_progress';
}

export function byRecency(runs: readonly StoredRun[]): StoredRun[] {
  return runs
    .map((run) => ({ run, recency: recencyOf(run) }))
    .toSorted((a, b) => b.recency - a.recency || (a.run.runId < b.run.runId ? 1 : -1))
    .map(({ run }) => run);
}

/** Allows one typing error for every four letters. */
function isNear(text: string, wanted: string): boolean {
  if (wanted.length < 3) return false;
  const allowed = Math.max(1, Math.floor(wanted.length / 4));
  return text.includes(wanted) || editDistance(text.slice(0, 80), wanted.slice(0, 80)) <= allowed;
}

/** The later of `updated_at` and the file's modification time, because agents edit state files directly. */
export function recencyOf(run: StoredRun): number {
  const updated = Date.parse(run.state.updated_at ?? '');
  return Math.max(Number.isNaN(updated) ? 0 : updated, run.modifiedAt);
}

const STALE_AFTER = 14 * 24 * 3_600_000;

/** A run untouched for 14 days is listed, but no session gets it without asking for it. */
export function isLongAgo(time: number, now: Date): boolean {
  return now.getTime() - time > STALE_AFTER;
}
