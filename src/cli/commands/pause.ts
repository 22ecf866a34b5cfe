import type { Cli } from '../context.ts';
import { changeRun, requireActive } from '../../operations/pick.ts';
import { reportRun } from '../report.ts';

export function pause(cli: Cli, name: string | undefined, options: { reason?: string }): void {
  const reason = options.reason?.trim() ?? '';
  const run = changeRun(cli, name, (wanted) => {
    requireActive(wanted, 'pause');
    return {
      state: {
        ...wanted.state,
        sessions: { ...wanted.state.sessions, current_session_id: null },
        status: 'paused',
        ...(reason === '' ? {} : { status_reason: reason }),
        adopted: true,
      },
      event: { event: 'paused', reason },
    };
  });
  reportRun(cli, run, [], `Paused ${run.runId}: it is not restored until \`holdfast resume\`.`);
}
