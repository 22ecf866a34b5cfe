import { changeNamedRun, writeReleased } from '../runs/change-run.ts';
import { requireActive } from '../runs/which-run.ts';
import { withoutHolder } from '../sessions/holder.ts';
import { isActive } from '../state/run.ts';
import type { RunState } from '../state/types.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command, type Shown } from './command.ts';
import type { RunDocument } from './json/documents.ts';
import { textOption } from './options.ts';
import { showChange } from './view/report-run.ts';

export const pause = command({
  usage: 'pause [run]',
  about: 'stop restoring the run until it is resumed',
  examples: ['holdfast pause --reason "waiting for the design review"'],
  options: { reason: textOption('why') },
  run: (cli, { run: name, reason }): Shown<RunDocument> => {
    const run = changeNamedRun(
      cli,
      name,
      { takes: false, adopts: true },
      (found, tx, log) => {
        requireActive(found, 'pause');
        const why = reason === undefined ? {} : { status_reason: reason };
        const state: RunState = {
          ...withoutHolder(found.state),
          status: 'paused',
          ...why,
        };
        return tx.write(
          found,
          state,
          log({ event: 'paused', reason: reason ?? '' }),
        );
      },
    );
    return showChange(cli, run, {
      done: `Paused ${run.runId}${reason === undefined ? '' : `: ${sanitizeLine(reason)}`}.\nNo session is given it until it is resumed.`,
    });
  },
});

export const release = command({
  usage: 'release [run]',
  about: 'release the run: it stays active, and another session may take it',
  examples: ['holdfast release'],
  run: (cli, { run: name }): Shown<RunDocument> => {
    const run = changeNamedRun(
      cli,
      name,
      { takes: false, adopts: false },
      (held, tx) => writeReleased(cli, cli.caller, tx, held),
    );
    return showChange(cli, run, {
      done: `Released ${run.runId}: it stays ${isActive(run) ? 'active' : run.state.status}, and no session holds it.`,
      next: `holdfast resume ${run.runId}, in the session that continues it`,
    });
  },
});
