import { isReplaced } from '../state/paths.ts';
import { closestMatch } from '../text/closest-match.ts';
import { slugOf } from '../text/slug.ts';
import { byRecency } from '../state/recency.ts';
import { isActive } from '../state/run.ts';
import type { Run } from '../state/types.ts';

/** By id, slug, workflow, template, path of the source or a unique prefix; among equal names, the only active one. */
export function findRun(
  runs: readonly Run[],
  name: string,
):
  | { kind: 'run'; run: Run; isPrefix?: true }
  | { kind: 'unknown' }
  | { kind: 'ambiguous'; runs: Run[]; isPrefix?: true } {
  const wanted = normalized(name.trim());
  const path = wanted.replace(/^@/, '').replace(/^(?:\.\/)+/, '');
  const firstFilled = (
    fits: (candidate: string, text: string) => boolean,
    isPath: boolean,
  ): Run[] => {
    const named = (names: (run: Run) => string[], text = wanted): Run[] =>
      runs.filter((run) =>
        names(run).some((candidate) => fits(candidate, text)),
      );
    const lists = [
      named(namesOf),
      named(templateNames),
      isPath ? named(sourcePaths, path) : [],
    ];
    return lists.find((list) => list.length > 0) ?? [];
  };
  const sameId = runs.filter((run) => run.runId === name.trim());
  const exact =
    sameId.length > 0
      ? sameId
      : firstFilled((candidate, text) => candidate === text, true);
  const found =
    exact.length > 0 || wanted === ''
      ? exact
      : // Only a name that is clearly a path: a single letter is the beginning of far too many paths.
        firstFilled(
          (candidate, text) => candidate.startsWith(text),
          wanted.includes('/'),
        );
  const how = exact.length > 0 ? {} : { isPrefix: true as const };
  const active = found.filter(isActive);
  const [run, ...rest] =
    active.length === 1 && exact.length > 0 ? active : found;
  if (run === undefined) return { kind: 'unknown' };
  return rest.length === 0
    ? { kind: 'run', run, ...how }
    : { kind: 'ambiguous', runs: byRecency(found), ...how };
}

export function nearRuns(runs: readonly Run[], name: string): Run[] {
  const wanted = normalized(name.trim());
  const isNear = (text: string): boolean =>
    text.includes(wanted) || closestMatch(wanted, [text]) !== undefined;
  return wanted.length < 3
    ? []
    : runs.filter((run) => namesOf(run).some(isNear));
}

export const hasName = (run: Run, name: string): boolean =>
  namesOf(run).includes(normalized(name.trim()));

/** A state that an imported one replaced is found by its id only, because the run itself has the same names. */
function namesOf({ runId, slug, state }: Run): string[] {
  const names = isReplaced(runId)
    ? [runId]
    : [runId, slug, slugOf(state.workflow), state.workflow];
  return names.map(normalized);
}

/** The name in the template, and that of its file, by which it may have been started. */
function templateNames({ state: { template, source } }: Run): string[] {
  const name = template?.['name'];
  if (typeof name !== 'string') return [];
  const file = source?.kind === 'template' ? (source.path ?? '') : '';
  const [, base = name] = /([^/]+?)(?:\.\w+)?$/.exec(file) ?? [];
  return [name, slugOf(name), base].map(normalized);
}

function sourcePaths({ runId, state: { source } }: Run): string[] {
  const path = source?.path;
  return typeof path !== 'string' || isReplaced(runId)
    ? []
    : [normalized(path)];
}

/** The shortest name that means this run among all of these and can be typed as it is. */
export function shortName(run: Run, runs: readonly Run[]): string {
  const names = [run.slug, run.state.source?.path ?? ''];
  const isMeant = (name: string): boolean => {
    const found = findRun(runs, name);
    return found.kind === 'run' && found.run.runId === run.runId;
  };
  // Neither a shell nor a slash command may change it.
  const isTypeable = (name: string): boolean =>
    /^(?!-)[\p{L}\p{N}\p{M}._/-]+$/u.test(name);
  return names.find((name) => isTypeable(name) && isMeant(name)) ?? run.runId;
}

const normalized = (text: string): string =>
  text.normalize('NFC').toLowerCase();
