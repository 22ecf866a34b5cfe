import { HoldfastError } from '../../errors/holdfast-error.ts';
import type { JournalEvent } from '../../state/journal.ts';
import { isObject } from '../../util/json.ts';
import { byRecency, selectRun } from '../../sessions/select-run.ts';
import type { StoredRun } from '../../state/types.ts';
import { allRuns } from '../all-runs.ts';
import type { CommandContext } from '../context.ts';
import { namedRun } from '../../operations/with-run.ts';
import { section } from '../output/status-text.ts';
import { sanitizeLine, shortId } from '../../util/sanitize.ts';
import { pluralize } from '../../util/relative-time.ts';

export function history(cli: CommandContext, name: string | undefined): void {
  const run = name === undefined ? currentOrLast(cli) : namedRun(allRuns(cli), name);
  const events = cli.store.journal(run);
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
            : `, ended ${clock(record.ended_at)} (${sanitizeLine(record.end_reason ?? 'unknown')})`;
        const done = record.phases_completed ?? [];
        const finished = done.length === 0 ? '' : `; finished ${done.map(sanitizeLine).join(', ')}`;
        return `${shortId(record.session_id)} on ${sanitizeLine(record.environment?.hostname ?? 'an unknown machine')}, since ${clock(record.started_at)}${end}${finished}`;
      }),
    ),
  ];
  cli.output.result(
    { run_id: run.runId, events, sessions },
    text.filter((part) => part !== '').join('\n\n'),
  );
}

function currentOrLast(cli: CommandContext): StoredRun {
  const selection = selectRun(cli.store.list().runs, { ...cli, purpose: 'read' });
  if (selection.kind === 'run') return selection.run;
  const [last] = byRecency(allRuns(cli));
  if (last === undefined) throw new HoldfastError({ code: 'no_workflow', also: [] });
  return last;
}

function eventLine(event: JournalEvent & { at: string }): string {
  const session =
    typeof event['session_id'] === 'string' ? ` by session ${shortId(event['session_id'])}` : '';
  return `${clock(event.at)}  ${sanitizeLine(tell(event))}${session}`;
}

function tell(event: JournalEvent): string {
  const text = (key: string): string => (typeof event[key] === 'string' ? event[key] : '');
  const phase = isObject(event['phase'])
    ? `phase ${[`${String(event['phase']['current'])}/${String(event['phase']['total'])}`, event['phase']['name']].filter(Boolean).join(' ')}`
    : '';
  switch (event.event) {
    case 'started':
      return `started, ${phase}`;
    case 'detected':
      return `found in ${text('source')}`;
    case 'merged':
      return `took over what ${text('source')} says, ${phase}`;
    case 'advanced':
      return `finished ${text('finished')}${text('output') === '' ? '' : `: ${text('output')}`}`;
    case 'failed':
      return `${text('failed') === '' ? phase : text('failed')} failed${outcomeWords(event)}: ${text('reason')}`;
    case 'pivoted':
      return `went back from ${text('from')} to ${text('to')}: ${text('feedback')}`;
    case 'pivot_refused':
      return `was not sent back from ${text('from')} to ${text('to')}, it was too often: ${text('feedback')}`;
    case 'tasks':
      return `"${text('loop')}" was given ${typeof event['count'] === 'number' ? pluralize(event['count'], 'task') : 'tasks'}`;
    case 'context':
      return `${text('performed')} was reported as done`;
    case 'restored':
      return text('source') === '' ? 'restored' : `restored after ${text('source')}`;
    case 'session_ended':
      return text('reason') === '' ? 'session ended' : `session ended (${text('reason')})`;
    case 'paused':
      return text('reason') === '' ? 'paused' : `paused: ${text('reason')}`;
    case 'updated':
      return `updated: ${isObject(event['changes']) ? Object.keys(event['changes']).join(', ') : ''}`;
    case 'archived':
      return `archived, because ${text('source')} says it is finished`;
    case 'imported':
      return `brought here from another machine, as it was at ${text('exported_at')}`;
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

/** What the template made of a step that failed. */
function outcomeWords({ outcome, attempt, of }: JournalEvent): string {
  switch (outcome) {
    case 'retry':
      return `, retry ${String(attempt)} of ${String(of)}`;
    case 'skip':
      return ', skipped';
    case 'abort':
      return ', the run was given up';
    default:
      return '';
  }
}

function clock(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
