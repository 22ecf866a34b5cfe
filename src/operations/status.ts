import { selectRun } from '../sessions/meant-run.ts';
import type { PendingReading } from '../reading/pending-reading.ts';
import { holderOf } from '../sessions/holder.ts';
import { phaseSince } from '../state/phase-since.ts';
import type { StoredRun } from '../state/types.ts';
import type { SyncChange } from '../sync/types.ts';
import type { ContextCommand } from '../workflow/machine/machine-state.ts';
import { parseRun } from '../workflow/run.ts';
import { viewRun } from './move-run.ts';
import { nextStep, type NextStep } from './next-action.ts';
import type { OperationContext } from './open-project.ts';
import { pendingReads } from './pending-reads.ts';
import { isOtherSession } from './reading-of.ts';
import { sourceNote } from '../guidance/source-note.ts';
import { ambiguousRunError, findNamedRun } from './named-run.ts';
import { detectedRuns, previewSync, type DetectedRun } from './sync-preview.ts';
import { callerSession, findRunAnywhere } from './target-run.ts';

export interface StatusView {
  /** Null if there is no active run that this session may be working on. */
  run: StoredRun | null;
  /** The context action that this call has requested. */
  action: ContextCommand | null;
  next: NextStep | null;
  others: StoredRun[];
  inactive: StoredRun[];
  /** What the next compaction would change because of what sources declare. */
  changes: SyncChange[];
  /** The workflows among them that have no state file yet; if one was named, only that one. */
  detected: DetectedRun[];
  /** What has become of the source of the run, if it no longer declares it. */
  note: string | null;
  pendingReads: PendingReading | null;
  /** When the run entered its current phase, as far as its journal tells. */
  since: string | null;
}

export interface StatusOptions {
  /** Nothing is changed: no context action is requested, and the session is not marked as seen. */
  isLook: boolean;
  /** The position that this session was last prompted for. */
  lastPrompted: string | null;
}

/** Where the named run stands, or the one that is meant. */
export function getStatus(
  context: OperationContext,
  name: string | undefined,
  { isLook, lastPrompted }: StatusOptions,
): StatusView {
  const { runs, unreadable } = context.store.list();
  for (const { path, why } of unreadable) context.warn({ code: 'unreadable_state', path, why });
  const { changes, sources } = previewSync(context, runs);
  const all = detectedRuns(context, changes);
  const named = name === undefined ? null : detectedNamed(context, runs, all, name);
  const detected = named === null ? all : [named];
  const selected =
    named === null ? select(context, runs, name, isLook) : { run: null, others: [], inactive: [] };
  if (selected.run === null) {
    return {
      ...selected,
      run: null,
      action: null,
      next: null,
      note: null,
      changes,
      detected,
      pendingReads: null,
      since: null,
    };
  }
  // Throws for a run whose step cannot be determined: such a run has no status.
  parseRun(selected.run.state);
  const { run, action } = isLook
    ? { run: selected.run, action: null }
    : viewRun(context, selected.run, runs);
  const next = nextStep(context, run, runs, lastPrompted);
  const note = sourceNote(run, sources);
  return {
    ...selected,
    run,
    action,
    next,
    note,
    changes,
    detected,
    // They are owed by the session that holds the run, and only its prompts are followed by a reminder.
    pendingReads: isOtherSession(context, run) ? null : pendingReads(context, run),
    since: phaseSince(run.state, context.store.journal(run)),
  };
}

/** The declared workflow of that name; null if a stored run has it, or none. */
function detectedNamed(
  context: OperationContext,
  runs: readonly StoredRun[],
  detected: readonly DetectedRun[],
  name: string,
): DetectedRun | null {
  const found = findNamedRun(context, runs, name, detected);
  if (found.kind === 'ambiguous') throw ambiguousRunError(name, found.runs);
  return found.kind === 'run' ? (detected.find(({ run }) => run === found.run) ?? null) : null;
}

function select(
  context: OperationContext,
  runs: readonly StoredRun[],
  name: string | undefined,
  isLook: boolean,
): Pick<StatusView, 'run' | 'others' | 'inactive'> {
  if (name !== undefined)
    return { run: findRunAnywhere(context, name, runs), others: [], inactive: [] };
  const selection = selectRun(runs, { ...context, purpose: 'read' });
  switch (selection.kind) {
    case 'run':
      return { run: selection.run, others: selection.others, inactive: [] };
    case 'none':
      if (isLook) return lookAtStopped(context, runs, selection);
      return { run: null, others: selection.heldByOthers, inactive: selection.inactive };
    default:
      return { run: null, others: selection.runs, inactive: [] };
  }
}

/** Who watches a run also wants to know that it was paused or has failed. */
function lookAtStopped(
  context: OperationContext,
  runs: readonly StoredRun[],
  { heldByOthers, inactive }: { heldByOthers: StoredRun[]; inactive: StoredRun[] },
): Pick<StatusView, 'run' | 'others' | 'inactive'> {
  const session = callerSession(context, runs);
  const own = inactive.find(({ state }) => session !== null && holderOf(state) === session);
  return { run: own ?? null, others: heldByOthers, inactive };
}
