import { HoldfastError } from '../../errors/holdfast-error.ts';
import type { InputProblem } from '../../errors/inputs.ts';
import { reportSetAside, withActor } from '../../operations/with-run.ts';
import { parseExport, type PortableRun } from '../../state/export-format.ts';
import type { StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import { textFile } from '../options.ts';
import { reportRun } from '../output/report-run.ts';

/** Takes a run in that was exported elsewhere; a newer state of it here is never overwritten. */
export function importRun(cli: CommandContext, file: string): void {
  const given = read(cli, file);
  const run = cli.store.transaction((tx) => {
    reportSetAside(cli, tx);
    const isSame = ({ runId }: StoredRun): boolean => runId === given.runId;
    const here = tx.runs.find(isSame) ?? cli.store.archive().runs.find(isSame);
    if (here !== undefined) requireNewer(here, given);
    const event = withActor(cli, { event: 'imported', exported_at: given.exported_at });
    return tx.adopt(given, { ...given.state, adopted: true }, given.events, event);
  });
  reportRun(cli, run, [], `Imported ${run.runId}. \`holdfast claim ${run.runId}\` takes it.`);
}

function read(cli: CommandContext, file: string): PortableRun {
  const unreadable = (problem: InputProblem): HoldfastError =>
    new HoldfastError({ code: 'unreadable_input', what: file, problem });
  let json: unknown;
  try {
    json = JSON.parse(textFile(cli, '<file>', file));
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable({ kind: 'not_json', parser: error.message });
    throw error;
  }
  const reading = parseExport(json);
  if (reading.kind === 'defect') throw unreadable({ kind: 'not_a_run', defect: reading.defect });
  return reading.run;
}

function requireNewer(here: StoredRun, { runId, state }: PortableRun): void {
  const [ours, theirs] = [here.state.revision ?? 0, state.revision ?? 0];
  if (theirs > ours) return;
  throw new HoldfastError({
    code: 'not_newer',
    run: runId,
    here: { revision: ours, at: here.state.updated_at ?? here.state.created_at },
    given: { revision: theirs, at: state.updated_at ?? state.created_at },
  });
}
