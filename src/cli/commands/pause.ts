import type { CommandContext } from '../context.ts';
import { changeRun, requireActive } from '../../operations/with-run.ts';
import { reportRun } from '../output/report-run.ts';

export function pause(
  cli: CommandContext,
  name: string | undefined,
  options: { reason?: string },
): void {
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
