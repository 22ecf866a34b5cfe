import { endRun } from '../runs/move-run.ts';
import { withActor, withRun } from '../runs/change-run.ts';
import { command } from './command.ts';
import { textOption } from './options.ts';
import { showEnd } from './view/report-run.ts';

export const cancel = command({
  usage: 'cancel [run]',
  about: 'end the run as given up; its record goes to the archive',
  examples: ['holdfast cancel', 'holdfast cancel --reason "the feature is no longer wanted"'],
  agent: 'asked',
  options: { reason: textOption('why') },
  run: (context, { run: name, reason }) =>
    withRun(
      context,
      name,
      (run, tx) =>
        endRun(
          context,
          tx,
          run,
          {
            ...run.state,
            status: 'cancelled',
            ...(reason === undefined ? {} : { status_reason: reason }),
          },
          withActor(context, { event: 'cancelled', reason: reason ?? '', phase: run.state.phase }),
          false,
        ),
      { takes: false },
    ),
  show: (cli, run) => showEnd(cli, run),
});
