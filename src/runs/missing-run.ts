import { holderOf } from '../sessions/holder.ts';
import { isHeldByLiveSession } from '../sessions/liveness.ts';
import type { OperationContext, Project } from '../sessions/open-project.ts';
import { nearRuns } from '../sessions/select-run.ts';
import { byRecency } from '../state/recency.ts';
import {
  type Listing,
  describeUnreadable,
  listArchive,
} from '../state/store/run-files.ts';
import type { Run } from '../state/types.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { asWord, quoted } from '../text/sanitize.ts';
import type { Selection } from '../sessions/own-run.ts';

export function onlyDeclaredError({ runId, state }: Run): HoldfastError {
  const source = asWord(state.source?.path ?? 'a file');
  const message = `${runId} is only declared in ${source}; it has no state file yet`;
  const hint = `\`holdfast status ${runId}\` shows it; the first command that changes it stores it, or in a Claude Code session \`holdfast resume ${runId}\``;
  return new HoldfastError('only_declared', message, { hint });
}

export function selectionError(
  context: OperationContext,
  selection: Exclude<Selection, { kind: 'run' }>,
): HoldfastError {
  if (selection.kind === 'ambiguous')
    return ambiguousRunError(null, selection.runs);
  if (selection.kind === 'not_own') return notOwnError(context, selection.runs);
  return noWorkflowError(context, selection.inactive);
}

/** `inactive`: the runs that a session could resume. */
function noWorkflowError(
  context: OperationContext,
  inactive: readonly Run[],
): HoldfastError {
  const listing = context.store.list();
  const { message, others, forTools } = noneActive(context, inactive);
  const none = 'start one with `holdfast start <name> --phases "A,B,C"`';
  const hint = missingRunHint([listing], others, none);
  // What cannot be read may be the run that is meant, so a tool does not propose to start another.
  const isCertain = listing.unreadable.length === 0;
  return new HoldfastError('no_workflow', message, {
    hint,
    ...(isCertain ? { toolHint: forTools } : {}),
  });
}

interface NoneActive {
  message: string;
  /** What may be meant instead; null if there is nothing. */
  others: string | null;
  forTools: string;
}

function noneActive(
  { store, session }: OperationContext,
  inactive: readonly Run[],
): NoneActive {
  // Somebody else may have ended the run of the session.
  const ended = byRecency(listArchive(store.root).runs).find(
    ({ state }) => session !== null && holderOf(state) === session,
  );
  if (ended !== undefined) {
    const { runId, state } = ended;
    return {
      message: `no active workflow here: ${runId}, the run of this session, is ${state.status ?? 'completed'}`,
      others: `bring it back with \`holdfast reopen ${runId}\`, or start another with \`holdfast start <name> --phases "A,B,C"\``,
      forTools: `start another with workflow_start, or bring it back with \`holdfast reopen ${runId}\``,
    };
  }
  const message = 'no active workflow here';
  if (inactive.length === 0)
    return { message, others: null, forTools: 'start one with workflow_start' };
  const also = inactive
    .map(({ runId, state }) => `${runId} (${state.status})`)
    .join(', ');
  return {
    message,
    others: `not active: ${also}; name one, or resume it with \`holdfast resume <run>\``,
    forTools: `start one with workflow_start, or continue one that is not active with \`holdfast resume <run>\`: ${also}`,
  };
}

export function ambiguousRunError(
  name: string | null,
  runs: readonly Run[],
  areStopped = false,
): HoldfastError {
  const message =
    name === null
      ? `several runs are ${areStopped ? 'paused or failed' : 'active'}`
      : `${quoted(name)} matches several runs`;
  return new HoldfastError('ambiguous_run', message, {
    hint: `name one of: ${runList(runs)}`,
    toolHint: `continue one with \`holdfast resume <run>\`, or start another with workflow_start: ${runList(runs)}`,
  });
}

export function unknownRunError(
  { store }: Project,
  name: string,
  all: readonly Run[],
  isArchive = false,
): HoldfastError {
  const archive = listArchive(store.root);
  const near = nearRuns(all, name);
  if (!isArchive) near.push(...nearRuns(archive.runs, name));
  const others = otherNames(near, all);
  const none = isArchive
    ? 'no run is archived here; `holdfast list` shows the runs that are not'
    : 'there are no runs here; `holdfast list --all` includes archived ones';
  const hint = missingRunHint([store.list(), archive], others, none);
  return new HoldfastError('unknown_run', `no run is named ${quoted(name)}`, {
    hint,
  });
}

/** Null if there are no runs at all. */
function otherNames(near: readonly Run[], all: readonly Run[]): string | null {
  if (near.length > 0)
    return `did you mean ${near.map(({ runId }) => runId).join(' or ')}?`;
  if (all.length === 0) return null;
  return `available: ${shortList(byRecency(all).map(({ runId }) => runId))}`;
}

/** That there is no run is only certain if every state file could be read. */
function missingRunHint(
  listings: readonly Listing[],
  others: string | null,
  none: string,
): string {
  const [first, ...more] = listings.flatMap((listing) => listing.unreadable);
  const isOne = more.length === 0;
  const unreadable =
    first === undefined
      ? null
      : `${describeUnreadable(first)}${isOne ? '' : `, and ${more.length} more cannot be read`}; \`holdfast doctor\` says how to repair ${isOne ? 'it' : 'them'}`;
  const hints = [unreadable, others].filter((hint) => hint !== null);
  return hints.length === 0 ? none : hints.join('; ');
}

/** A session has no run of its own: names the runs there are, and the same command for the first that it may change. */
function notOwnError(
  context: OperationContext,
  runs: readonly Run[],
): HoldfastError {
  const free = runs.filter((run) => !isHeldByLiveSession(run, context));
  const held = runs.filter((run) => !free.includes(run));
  const [first] = free;
  const names = [
    ...(first === undefined ? [] : [runList(free)]),
    ...held.map(({ runId }) => `${runId} (held by another session)`),
  ];
  const command =
    first === undefined ? undefined : context.retryFor?.(first.runId);
  const message = `this session has no run of its own, so nothing was changed; in progress here: ${names.join(', ')}`;
  return new HoldfastError('no_own_run', message, {
    hint:
      command === undefined
        ? `a person can let it go: ${howToRelease(held[0]?.runId ?? '<run>')}; or start a run of your own with \`holdfast start <name>\``
        : `if one of them is meant, name it: \`${command}\``,
    toolHint:
      first === undefined
        ? 'start one of your own with workflow_start'
        : `if one of them is meant, call the tool again with run "${first.runId}"; else start one of your own with workflow_start`,
  });
}

/** The person's way: no text for an agent says how to take a run from a live session. */
export const howToRelease = (runId: string): string =>
  `/holdfast:release there, or \`holdfast release ${runId}\` in a terminal`;

/** Of runs with the same name, only the file that declares each tells a person which is which. Either can be typed. */
const runList = (runs: readonly Run[]): string =>
  shortList(
    runs.map(({ runId, state: { source } }) =>
      source?.path !== undefined &&
      (source.kind === 'plan' || source.kind === 'local-file')
        ? `${runId} (${asWord(source.path)})`
        : runId,
    ),
  );

const MAX_LISTED = 12;

export function shortList(names: readonly string[]): string {
  const left = names.length - MAX_LISTED;
  return left <= 0
    ? names.join(', ')
    : `${names.slice(0, MAX_LISTED).join(', ')} and ${left} more (\`holdfast list\`)`;
}
