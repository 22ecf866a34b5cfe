import { hostTitle } from '../hosts/hosts.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { findRunAnywhere, runToShow } from '../runs/which-run.ts';
import { isActive } from '../state/run.ts';
import { byRecency } from '../state/recency.ts';
import {
  costOf,
  endReason,
  eventWords,
  loadedIn,
  placeOf,
} from '../state/event-words.ts';
import type { JournalEvent, SessionRecord, Run } from '../state/types.ts';
import { safeJson } from '../text/json.ts';
import { asWord, sanitizeLine, shortId } from '../text/sanitize.ts';
import { command, type Shown } from './command.ts';
import type { HistoryDocument, ShowDocument } from './json/documents.ts';
import { paragraphs, section } from './view/output.ts';
import { readJournalOf } from '../state/store/journal-files.ts';
import { listArchive } from '../state/store/run-files.ts';

export const show = command({
  usage: 'show [run]',
  about: 'print everything that is stored about a run',
  examples: ['holdfast show user-auth'],
  run: (cli, { run: name }): Shown<ShowDocument> => {
    const { state, path } = runToShow(cli, name);
    const text = `${cli.output.colors.dim(path)}\n${safeJson(state)}`;
    return { data: { run: state, path }, text };
  },
});

export const history = command({
  usage: 'history [run]',
  about: 'show what happened to a run, and in which sessions',
  examples: ['holdfast history user-auth'],
  run: (cli, { run: name }): Shown<HistoryDocument> => {
    const run =
      name === undefined ? currentOrLast(cli) : findRunAnywhere(cli, name);
    const events = readJournalOf(cli.store.root, run);
    const sessions = run.state.sessions?.session_history ?? [];
    const { bold } = cli.output.colors;
    const text = paragraphs([
      bold(`${asWord(run.state.workflow, MAX_NAME)} (${run.runId})`),
      section(
        bold('Events'),
        events.length === 0 ? ['none recorded'] : events.map(eventLine),
      ),
      section(bold('Sessions'), sessions.map(sessionLine)),
    ]);
    return { data: { run_id: run.runId, events, sessions }, text };
  },
});

const MAX_NAME = 200;
/** A journal keeps so much of a note, less of other texts, and an ellipsis. */
const MAX_TEXT = 2_001;

function currentOrLast(context: OperationContext): Run {
  const { runs } = context.store.list();
  const [last] = byRecency([...runs, ...listArchive(context.store.root).runs]);
  return last === undefined || runs.some(isActive) ? runToShow(context) : last;
}

function eventLine(event: JournalEvent & { at: string }): string {
  const { title, text, isWritten } = eventWords(event);
  const shown = isWritten ? asWord(text, MAX_TEXT) : text;
  const { session_id: session } = event;
  const cost = costOf(event);
  const parts = [
    text === '' ? title : `${title}: ${shown}`,
    cost === null ? '' : `, $${cost.toFixed(2)}`,
    typeof session === 'string' ? ` by session ${shortId(session)}` : '',
    placeOf(event),
    loadedIn(event),
  ];
  return `${formatTime(event.at)}  ${sanitizeLine(parts.join(''))}`;
}

function formatTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function sessionLine(record: SessionRecord): string {
  const {
    ended_at: ended,
    end_reason: reason = '',
    environment,
    phases_completed,
  } = record;
  // Only a session that has held the run has a machine.
  const place =
    environment?.machine === undefined
      ? environment?.hostname && asWord(environment.hostname)
      : `machine ${asWord(environment.machine)}`;
  const done = phases_completed ?? [];
  const parts = [
    `${hostTitle(record)}${shortId(record.session_id)}`,
    place === undefined ? '' : ` on ${place}`,
    `, since ${formatTime(record.started_at)}`,
    ended === undefined
      ? ''
      : `, ended ${formatTime(ended)}${endReason(reason)}`,
    done.length === 0
      ? ''
      : `; finished ${done.map((name) => asWord(name)).join(', ')}`,
  ];
  return sanitizeLine(parts.join(''));
}
