import { describeUnreadable, type Listing, listArchive } from '../state/store/list-runs.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { isHeldByLiveSession } from '../sessions/holder.ts';
import {
  byRecency,
  findRun,
  hasName,
  nearRuns,
  type NamedSelection,
} from '../sessions/select-run.ts';
import type { StoredRun } from '../state/types.ts';
import { recordOfPlan } from '../sources/source-records.ts';
import type { OperationContext } from './open-project.ts';
import { projectPath } from './project-path.ts';

/** A workflow that is only declared so far, with the sources that declare it. */
interface DeclaredRun {
  run: StoredRun;
  change: { updates: readonly { source: { path: string } }[] };
}

type NamedRun =
  | Exclude<NamedSelection, { kind: 'unknown' }>
  /** With the runs that may have been meant. */
  | { kind: 'unknown'; near: StoredRun[] };

/**
 * The run of that name. The path of a source may also be given as seen from the working directory, and it may be that
 * of a second source that was merged into the run.
 */
export function findNamedRun(
  context: OperationContext,
  runs: readonly StoredRun[],
  name: string,
  detected: readonly DeclaredRun[] = [],
): NamedRun {
  const all = [...runs, ...detected.map(({ run }) => run)];
  const found = findRun(all, name);
  if (found.kind !== 'unknown')
    return found.isPrefix && isNameOfOther(context, name) ? { kind: 'unknown', near: [] } : found;
  const unknown: NamedRun = { kind: 'unknown', near: nearRuns(all, name) };
  if (name.trim() === '') return unknown;
  const path = projectPath(context, name.trim().replace(/^@/, ''));
  const recorded = recordOfPlan(context.store.sourceRecords(), path)?.run_id;
  const fed = detected.filter(({ change }) =>
    change.updates.some(({ source }) => source.path === path),
  );
  const [first, ...more] = all.filter(
    (run) =>
      run.state.source?.path === path ||
      run.runId === recorded ||
      fed.some((each) => each.run === run),
  );
  if (first === undefined) return unknown;
  return more.length === 0
    ? { kind: 'run', run: first }
    : { kind: 'ambiguous', runs: byRecency([first, ...more]) };
}

/** The beginning of a name does not mean its run if a run in the archive, or one that is not, has that whole name. */
function isNameOfOther({ store }: OperationContext, name: string): boolean {
  return [...store.list().runs, ...listArchive(store.root).runs].some((run) => hasName(run, name));
}

export function ambiguousRunError(
  name: string | null,
  runs: readonly StoredRun[],
  areStopped = false,
): HoldfastError {
  const message =
    name === null
      ? `several runs are ${areStopped ? 'paused or failed' : 'active'}`
      : `"${name}" matches several runs`;
  return new HoldfastError('ambiguous_run', message, {
    hint: `name one of: ${runList(runs)}`,
    toolHint: `continue one with \`holdfast resume <run>\`, or start another with workflow_start: ${runList(runs)}`,
  });
}

export function unknownRunError(
  { store }: OperationContext,
  name: string,
  near: readonly StoredRun[],
  all: readonly StoredRun[],
  isArchive = false,
): HoldfastError {
  const ids = byRecency(all).map(({ runId }) => runId);
  const others =
    near.length > 0
      ? `did you mean ${near.map(({ runId }) => runId).join(' or ')}?`
      : ids.length > 0
        ? `available: ${shortList(ids)}`
        : null;
  const none = isArchive
    ? 'no run is archived here; `holdfast list` shows the runs that are not'
    : 'there are no runs here; `holdfast list --all` includes archived ones';
  const hint = missingRunHint([store.list(), listArchive(store.root)], others, none);
  return new HoldfastError('unknown_run', `no run is named "${name}"`, { hint });
}

/** That there is no run is only certain if every state file could be read. */
export function missingRunHint(
  listings: readonly Listing[],
  others: string | null,
  none: string,
): string {
  const [first, ...more] = listings.flatMap((listing) => listing.unreadable);
  const isOne = more.length === 0;
  // A run that is missing may be in a file that could not be read.
  const unreadable =
    first === undefined
      ? null
      : `${describeUnreadable(first)}${isOne ? '' : `, and ${more.length} more cannot be read`}; \`holdfast doctor\` says how to repair ${isOne ? 'it' : 'them'}`;
  const hints = [unreadable, others].filter((hint) => hint !== null);
  return hints.length === 0 ? none : hints.join('; ');
}

/** A session has no run of its own: names the runs there are, and the same command for the first that it may change. */
export function notOwnError(context: OperationContext, runs: readonly StoredRun[]): HoldfastError {
  const free = runs.filter((run) => !isHeldByLiveSession(run, context));
  const held = runs.filter((run) => !free.includes(run));
  const [first] = free;
  const names = [
    ...(first === undefined ? [] : [runList(free)]),
    ...held.map(({ runId }) => `${runId} (held by another session)`),
  ];
  const command = first === undefined ? undefined : context.retryFor?.(first.runId);
  return new HoldfastError(
    'no_own_run',
    `this session has no run of its own, so nothing was changed; in progress here: ${names.join(', ')}`,
    {
      hint:
        command === undefined
          ? `a person can let it go: ${howToRelease(held[0]?.runId ?? '<run>')}; or start a run of your own with \`holdfast start <name>\``
          : `if one of them is meant, name it: \`${command}\``,
      toolHint:
        first === undefined
          ? 'start one of your own with workflow_start'
          : `if one of them is meant, call the tool again with run "${first.runId}"; else start one of your own with workflow_start`,
    },
  );
}

/** The person's way: no text for an agent says how to take a run from a live session. */
export function howToRelease(runId: string): string {
  return `/holdfast:release there, or \`holdfast release ${runId}\` in a terminal`;
}

/** Of runs with the same name, only the file that declares each tells a person which is which. Either can be typed. */
function runList(runs: readonly StoredRun[]): string {
  return shortList(
    runs.map(({ runId, state: { source } }) =>
      source?.path !== undefined && (source.kind === 'plan' || source.kind === 'local-file')
        ? `${runId} (${source.path})`
        : runId,
    ),
  );
}

const MAX_LISTED = 12;

function shortList(names: readonly string[]): string {
  const left = names.length - MAX_LISTED;
  return left <= 0
    ? names.join(', ')
    : `${names.slice(0, MAX_LISTED).join(', ')} and ${left} more (\`holdfast list\`)`;
}
