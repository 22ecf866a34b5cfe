import { completeRun } from '../../operations/complete.ts';
import { endOfPurged, type EndOfPurged } from '../../remote/record.ts';
import type { CommandContext } from '../context.ts';
import { reportEnd } from '../output/report-run.ts';

/** What else there is to say about a run that has no record here. */
const NO_RECORD: Readonly<Record<EndOfPurged, string | undefined>> = {
  unknown: undefined,
  in_clone: 'No record was kept in the archive, and nothing of it is sent by sync.',
  to_send:
    'No record was kept in the archive here; with the next sync, other machines learn that it ended, and keep theirs.',
};

export function complete(
  cli: CommandContext,
  name: string | undefined,
  { purge = false }: { purge?: boolean },
): void {
  const run = completeRun(cli, name, { purge });
  reportEnd(cli, run, '', purge ? NO_RECORD[endOfPurged(cli, run.runId)] : undefined);
}
