import { adoptRun, archiveReplaced, replaceJournal } from '../state/store/foreign-runs.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import type { InputProblem } from '../errors/inputs.ts';
import type { RunVersion } from '../errors/runs.ts';
import { compareHistories } from '../state/compare-histories.ts';
import { isEnded } from '../state/ended.ts';
import { parseExport, type PortableRun } from '../state/export-format.ts';
import type { NewEvent } from '../state/journal.ts';
import { phaseLabel } from '../state/phases.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { endRun } from './end-run.ts';
import type { OperationContext } from './open-project.ts';
import { requireOutsideOwnGate } from './target-run.ts';
import { transact, withActor } from './with-run.ts';

export interface ImportedRun {
  run: StoredRun;
  /** The id under which the replaced state was archived; null if nothing was lost by replacing it. */
  replaced: string | null;
}

/**
 * Stores a run that was exported elsewhere. A copy of it here is replaced only if the file continues its history;
 * `force` replaces it in any case and archives it. A run that has ended goes to the archive. `file` names the file in errors.
 */
export function importRun(
  context: OperationContext,
  text: string,
  { file, force }: { file: string; force: boolean },
): ImportedRun {
  const imported = parse(text, file);
  requireOutsideOwnGate(context, imported);
  return transact(context, (tx) => {
    const isSame = ({ runId }: StoredRun): boolean => runId === imported.runId;
    const stored = tx.runs.find(isSame);
    const existing = stored ?? context.store.archive().runs.find(isSame);
    const isContinued = existing === undefined || isContinuedBy(context, existing, imported, force);
    const replaced =
      existing === undefined || (isContinued && !isEditedByHand(existing))
        ? null
        : archiveReplaced(tx, existing);
    const revision = Math.max(existing?.state.revision ?? 0, imported.state.revision ?? 0);
    const event = withActor(context, {
      event: 'imported',
      exported_at: imported.exported_at,
      ...(replaced === null ? {} : { replaced }),
    });
    const state = { ...imported.state, revision, adopted: true };
    const save = (logged?: NewEvent): StoredRun => {
      if (stored === undefined) return adoptRun(tx, imported, state, imported.events, logged);
      // Its file may have another name than its id, which can be written by hand.
      replaceJournal(tx, stored, imported.events);
      return tx.write(stored, state, logged);
    };
    if (!isEnded(state)) return { run: save(event), replaced };
    const run = save();
    return { run: endRun(context, tx, run, state, event, false), replaced };
  });
}

function parse(text: string, file: string): PortableRun {
  const unreadable = (problem: InputProblem): HoldfastError =>
    new HoldfastError({ code: 'unreadable_input', what: file, problem });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable({ kind: 'not_json', parser: error.message });
    throw error;
  }
  const reading = parseExport(json);
  if (reading.kind === 'defect') throw unreadable({ kind: 'not_a_run', defect: reading.defect });
  return reading.run;
}

/** Throws unless the imported run continues the existing one, or the user insists. */
function isContinuedBy(
  { store }: OperationContext,
  existing: StoredRun,
  imported: PortableRun,
  force: boolean,
): boolean {
  const here = { state: existing.state, events: store.journal(existing) };
  const relation = compareHistories(here, imported);
  if (relation === 'continues') return true;
  if (force) return false;
  const sides = { here: versionOf(existing.state), given: versionOf(imported.state) };
  throw new HoldfastError(
    relation === 'diverged'
      ? { code: 'diverged', run: imported.runId, ...sides }
      : { code: 'not_newer', run: imported.runId, isSame: relation === 'same', ...sides },
  );
}

function versionOf(state: RunState): RunVersion {
  const { status = 'in_progress' } = state;
  return {
    revision: state.revision ?? 0,
    at: state.updated_at ?? state.created_at,
    phase: `${phaseLabel(state.phase)}${status === 'in_progress' ? '' : `, ${status}`}`,
  };
}

/** Holdfast writes the file at the time that is in it. */
const WRITE_TAKES_MS = 2_000;

/** An edit by hand leaves no trace in the journal, so the comparison of histories cannot see it. */
function isEditedByHand({ state, modifiedAt }: StoredRun): boolean {
  const written = Date.parse(state.updated_at ?? '');
  return Number.isNaN(written) || modifiedAt - written > WRITE_TAKES_MS;
}
