import { withRun } from '../runs/change-run.ts';
import { endRun } from '../runs/move-run.ts';
import type { RunState } from '../state/types.ts';
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
      (run, tx, log) => {
        const why = reason === undefined ? {} : { status_reason: reason };
        const state: RunState = { ...run.state, status: 'cancelled', ...why };
        const event = log({ event: 'cancelled', reason: reason ?? '', phase: state.phase });
        return endRun(context, tx, run, state, event);
      },
      { takes: false },
    ),
  show: (cli, run) => showEnd(cli, run),
});
