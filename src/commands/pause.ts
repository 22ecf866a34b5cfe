import { requireActive } from '../runs/which-run.ts';
import { changeRun } from '../runs/change-run.ts';
import { withoutHolder } from '../sessions/holder.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command } from './command.ts';
import { textOption } from './options.ts';
import { showChange } from './view/report-run.ts';

export const pause = command({
  usage: 'pause [run]',
  about: 'stop restoring the run until it is resumed',
  examples: ['holdfast pause --reason "waiting for the design review"'],
  agent: 'may',
  options: { reason: textOption('why') },
  run: (context, { run: name, reason }) =>
    changeRun(
      context,
      name,
      (run) => {
        requireActive(run, 'pause');
        return {
          state: {
            ...withoutHolder(run.state),
            status: 'paused',
            ...(reason === undefined ? {} : { status_reason: reason }),
            adopted: true,
          },
          event: { event: 'paused', reason: reason ?? '' },
        };
      },
      { takes: false },
    ),
  show: (cli, run, { reason }) =>
    showChange(cli, run, {
      done: `Paused ${run.runId}${reason === undefined ? '' : `: ${sanitizeLine(reason)}`}.\nNo session is given it until it is resumed.`,
    }),
});
