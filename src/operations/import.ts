import { HoldfastError } from '../errors/holdfast-error.ts';
import type { InputProblem } from '../errors/inputs.ts';
import { parseExport, type PortableRun } from '../state/export-format.ts';
import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';
import { transact, withActor } from './with-run.ts';

/** Stores a run that was exported elsewhere; never overwrites a newer state of it. `file` names it in errors. */
export function importRun(context: OperationContext, text: string, file: string): StoredRun {
  const imported = parse(text, file);
  return transact(context, (tx) => {
    const isSame = ({ runId }: StoredRun): boolean => runId === imported.runId;
    const existing = tx.runs.find(isSame) ?? context.store.archive().runs.find(isSame);
    if (existing !== undefined) requireNewer(existing, imported);
    const event = withActor(context, { event: 'imported', exported_at: imported.exported_at });
    return tx.adopt(imported, { ...imported.state, adopted: true }, imported.events, event);
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

function requireNewer(existing: StoredRun, { runId, state }: PortableRun): void {
  const [stored, given] = [existing.state.revision ?? 0, state.revision ?? 0];
  if (given > stored) return;
  throw new HoldfastError({
    code: 'not_newer',
    run: runId,
    here: { revision: stored, at: existing.state.updated_at ?? existing.state.created_at },
    given: { revision: given, at: state.updated_at ?? state.created_at },
  });
}
