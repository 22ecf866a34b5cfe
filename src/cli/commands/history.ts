import type { SessionRecord } from '../../state/types.ts';
import type { JournalEvent } from '../../state/journal.ts';
import { isObject } from '../../util/json.ts';
import { getHistory } from '../../operations/history.ts';
import type { CommandContext } from '../context.ts';
import { fitText, section } from '../output/layout.ts';
import { sanitizeLine, shortId, truncate } from '../../util/sanitize.ts';
import { pluralize } from '../../util/relative-time.ts';

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
        return `${shortId(record.session_id)} on ${sanitizeLine(machineOf(record))}, since ${formatTime(record.started_at)}${end}${finished}`;
      }),
    ),
  ];
  cli.output.result(
    { run_id: run.runId, events, sessions },
    fitText(text.filter((part) => part !== '').join('\n\n'), cli.output.columns),
  );
}

function eventLine(event: JournalEvent & { at: string }): string {
  const session =
    typeof event['session_id'] === 'string' ? ` by session ${shortId(event['session_id'])}` : '';
  const machine =
    typeof event['machine'] === 'string' && event['machine'] !== 'merge'
      ? ` on machine ${sanitizeLine(event['machine'])}`
      : '';
  return `${formatTime(event.at)}  ${sanitizeLine(eventText(event) + passedByText(event))}${session}${machine}`;
}

function machineOf({ environment }: SessionRecord): string {
  if (environment?.machine !== undefined) return `machine ${environment.machine}`;
  return environment?.hostname ?? 'an unknown machine';
}

function eventText(event: JournalEvent): string {
  const text = (key: string): string => (typeof event[key] === 'string' ? event[key] : '');
  const phase = isObject(event['phase'])
    ? `phase ${[`${String(event['phase']['current'])}/${String(event['phase']['total'])}`, event['phase']['name']].filter(Boolean).join(' ')}`
    : '';
  switch (event.event) {
    case 'started':
      return `started, ${phase}`;
    case 'detected':
      return `detected in ${text('source')}`;
    case 'merged':
      return `merged changes from ${text('source')}, ${phase}`;
    case 'advanced':
      return `finished ${text('finished')}${text('output') === '' ? '' : `: ${text('output')}`}${untilText(event)}`;
    case 'failed':
      return `${text('failed') === '' ? phase : text('failed')} failed${outcomeWords(event)}: ${text('reason')}`;
    case 'approved':
      return `the user approved ${text('step')}${text('note') === '' ? '' : `: ${text('note')}`}`;
    case 'rejected':
      return `the user rejected ${text('from')} and sent the work back to ${text('to')}: ${text('feedback')}`;
    case 'pivoted':
      return `went back from ${text('from')} to ${text('to')}: ${text('feedback')}`;
    case 'pivot_refused':
      return `was not sent back from ${text('from')} to ${text('to')}, too many pivots: ${text('feedback')}`;
    case 'tasks':
      return `"${text('loop')}" was given ${typeof event['count'] === 'number' ? pluralize(event['count'], 'task') : 'tasks'}`;
    case 'context':
      return `${text('performed')} was reported as done`;
    case 'restored':
      return text('source') === '' ? 'restored' : `restored after ${text('source')}`;
    case 'session_ended':
      return text('reason') === '' ? 'session ended' : `session ended (${text('reason')})`;
    case 'skipped':
      return `skipped ${text('skipped')}: ${text('reason')}`;
    case 'paused':
      return text('reason') === '' ? 'paused' : `paused: ${text('reason')}`;
    case 'updated':
      return `updated: ${isObject(event['changes']) ? Object.keys(event['changes']).join(', ') : ''}`;
    case 'archived':
      return `archived, because ${text('source')} says it is finished`;
    case 'imported':
      return `imported from another machine, as of ${text('exported_at')}`;
    case 'conflict':
      return `${text('field')} was changed on two machines: kept ${valueText(event['kept'])}, the other value was ${valueText(event['other'])}`;
    case 'primed':
      return `loaded ${Array.isArray(event['artifacts']) ? event['artifacts'].join(', ') : 'artifacts'}`;
    case 'claimed':
      return text('from') === '' ? 'claimed' : `claimed from session ${text('from').slice(0, 8)}`;
    case 'completed':
      return `completed at ${phase}`;
    default:
      return event.event;
  }
}

function valueText(value: unknown): string {
  return truncate(JSON.stringify(value) ?? 'nothing', 300);
}

function untilText({ until }: JournalEvent): string {
  if (!isObject(until) || typeof until['command'] !== 'string') return '';
  return ` (${until['met'] === true ? 'ended by' : 'not ended by'} ${until['command']})`;
}

function passedByText({ passed_by: steps }: JournalEvent): string {
  return Array.isArray(steps) ? `; passed by ${steps.join(', ')}, whose condition is false` : '';
}

/** What the template decided when the step failed. */
function outcomeWords({ outcome, attempt, of }: JournalEvent): string {
  switch (outcome) {
    case 'retry':
      return `, retry ${String(attempt)} of ${String(of)}`;
    case 'skip':
      return ', skipped';
    case 'abort':
      return ', the run failed';
    default:
      return '';
  }
}

function formatTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
