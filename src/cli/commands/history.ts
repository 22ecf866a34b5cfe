import type { SessionRecord } from '../../state/types.ts';
import { getHistory } from '../../operations/history.ts';
import type { CommandContext } from '../context.ts';
import { eventLine, formatTime } from '../output/event-line.ts';
import { fitText, section } from '../output/layout.ts';
import { sanitizeLine, shortId } from '../../util/sanitize.ts';

export function history(cli: CommandContext, name: string | undefined): void {
  const { run, events } = getHistory(cli, name);
  const sessions = run.state.sessions?.session_history ?? [];
  const { bold } = cli.output.colors;
  const text = [
    bold(`${sanitizeLine(run.state.workflow)} (${run.runId})`),
    section(bold('Events'), events.length === 0 ? ['none recorded'] : events.map(eventLine)),
    section(
      bold('Sessions'),
      sessions.map((record) => {
        const end =
          record.ended_at === undefined
            ? ''
            : `, ended ${formatTime(record.ended_at)} (${sanitizeLine(record.end_reason ?? 'unknown')})`;
        const done = record.phases_completed ?? [];
        const finished = done.length === 0 ? '' : `; finished ${done.map(sanitizeLine).join(', ')}`;
        return `${shortId(record.session_id)}${machineOf(record)}, since ${formatTime(record.started_at)}${end}${finished}`;
      }),
    ),
  ];
  cli.output.result(
    { run_id: run.runId, events, sessions },
    fitText(text.filter((part) => part !== '').join('\n\n'), cli.output.columns),
  );
}

/** Only for a session that has held the run: of another one the machine is not recorded. */
function machineOf({ environment }: SessionRecord): string {
  const place =
    environment?.machine === undefined ? environment?.hostname : `machine ${environment.machine}`;
  return place === undefined ? '' : ` on ${sanitizeLine(place)}`;
}
