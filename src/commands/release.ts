import { withRun, writeReleased } from '../runs/change-run.ts';
import { isActive } from '../sessions/select-run.ts';
import { command } from './command.ts';
import { showChange } from './view/report-run.ts';

export const release = command({
  usage: 'release [run]',
  about: 'release the run: it stays active, and another session may take it',
  examples: ['holdfast release'],
  agent: 'may',
  run: (context, { run: name }) =>
    withRun(context, name, (run, tx) => writeReleased(context, tx, run, context.session), {
      takes: false,
      adopts: false,
    }),
  show: (cli, run) =>
    showChange(cli, run, {
      done: `Released ${run.runId}: it stays ${isActive(run) ? 'active' : run.state.status}, and no session holds it.`,
      next: `holdfast resume ${run.runId}, in the session that continues it`,
    }),
});
