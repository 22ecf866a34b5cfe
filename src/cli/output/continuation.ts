import { heldBySession } from '../../driver/prepare.ts';
import { wasDriven } from '../../operations/driver-record.ts';
import type { StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import { howToResume } from './how-to-resume.ts';

/** What continues a run after a person has decided about it in a terminal. */
export function continuation(cli: CommandContext, run: StoredRun): string {
  if (heldBySession(cli, run) !== null)
    return 'tell the session that works on the run to continue; it runs holdfast status';
  return wasDriven(cli.root, run.runId) ? `holdfast run ${run.runId}` : howToResume(cli, run.runId);
}
