import { conflictValues } from '../../state/conflicts.ts';
import { EVENT_NAMES, type EventName, type JournalEvent } from '../../state/journal.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { pluralize } from '../../util/relative-time.ts';
import { sanitizeLine, shortId } from '../../util/sanitize.ts';

/** One event of `holdfast history`. Events that a later version wrote keep their own name. */
export function eventLine(event: JournalEvent & { at: string }): string {
  const name = EVENT_NAMES.find((known) => known === event.event);
  const text = name === undefined ? event.event : EVENT_TEXTS[name](event);
  const session =
    typeof event['session_id'] === 'string' ? ` by session ${shortId(event['session_id'])}` : '';
  const machine =
    typeof event['machine'] === 'string' && event['machine'] !== 'merge'
      ? ` on machine ${sanitizeLine(event['machine'])}`
      : '';
  return `${formatTime(event.at)}  ${sanitizeLine(text + passedBy(event))}${session}${machine}${sanitizeLine(loaded(event))}`;
}

/** What came into the context of the session with this event. */
function loaded({ loaded: ids }: JournalEvent): string {
  if (!Array.isArray(ids)) return '';
  const names = ids.filter((id) => typeof id === 'string').map((id) => id.replace(/^@/, ''));
  return names.length === 0 ? '' : `, with ${names.join(', ')}`;
}

function passedBy({ passed_by: steps }: JournalEvent): string {
  return Array.isArray(steps) ? `; passed by ${steps.join(', ')}, whose condition is false` : '';
}

export function formatTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The words of `holdfast history` for every event that holdfast records. */
const EVENT_TEXTS: Readonly<Record<EventName, (event: JournalEvent) => string>> = {
  started: (event) => `started${atPhase(event)}`,
  detected: (event) => `detected in ${textIn(event, 'source')}`,
  merged: (event) => `merged changes from ${textIn(event, 'source')}${atPhase(event)}`,
  returned: (event) => `came back with ${textIn(event, 'source')}`,
  advanced: (event) =>
    `finished ${textIn(event, 'finished')}${gatesText(event)}${because(event, 'output')}${untilText(event)}`,
  advance_requested: (event) =>
    `the agent reported ${textIn(event, 'step')} as finished; its checks are still to run`,
  advance_refused: (event) => `the step is not finished yet${because(event)}`,
  failed: (event) =>
    `${textIn(event, 'failed') || phaseOf(event) || 'the phase'} failed${outcome(event)}${because(event)}`,
  gate_failed: (event) => `the gate ${textIn(event, 'command')} failed${because(event)}`,
  approved: (event) =>
    `the user approved ${textIn(event, 'step')}${gatesText(event)}${because(event, 'note')}`,
  rejected: (event) =>
    `the user rejected ${textIn(event, 'from')} and sent the work back to ${textIn(event, 'to')}${because(event, 'feedback')}`,
  pivoted: (event) =>
    `went back from ${textIn(event, 'from')} to ${textIn(event, 'to')}${because(event, 'feedback')}`,
  pivot_refused: (event) =>
    `was not sent back from ${textIn(event, 'from')}${textIn(event, 'to') === '' ? '' : ` to ${textIn(event, 'to')}`}, too many pivots${because(event, 'feedback')}`,
  tasks: (event) =>
    `"${textIn(event, 'loop')}" was given ${typeof event['count'] === 'number' ? pluralize(event['count'], 'task') : 'tasks'}`,
  context: (event) => `${textIn(event, 'performed') || 'a context action'} was reported as done`,
  restored: (event) =>
    textIn(event, 'source') === '' ? 'restored' : `restored after ${textIn(event, 'source')}`,
  session_ended: (event) =>
    textIn(event, 'reason') === '' ? 'session ended' : `session ended (${textIn(event, 'reason')})`,
  held: (event) => `taken by a session${HELD_BY.get(textIn(event, 'rule')) ?? ''}`,
  claimed: (event) =>
    textIn(event, 'from') === ''
      ? 'taken by a session'
      : `taken over from session ${textIn(event, 'from').slice(0, 8)}`,
  resumed: () => 'resumed',
  released: (event) => `released${because(event)}`,
  driven: ({ fresh }) => `holdfast run started a ${fresh === true ? 'fresh ' : ''}session`,
  step_driven: (event) =>
    `holdfast run: ${textIn(event, 'step')} ${textIn(event, 'outcome')}${costText(event)}`,
  skipped: (event) => `skipped ${textIn(event, 'skipped')}${because(event)}`,
  paused: (event) => `paused${because(event)}`,
  cancelled: (event) => `cancelled${because(event)}`,
  completed: (event) => {
    const { ended_early: early } = event;
    if (!isObject(early)) return `completed${atPhase(event, ' at ')}`;
    return `ended early${atPhase(event, ' at ')}; left: ${listText(early, 'left')}`;
  },
  archived: (event) =>
    textIn(event, 'source') === ''
      ? `archived${because(event)}`
      : `archived, because ${textIn(event, 'source')} says it is finished`,
  ended: () => 'ended on another machine',
  reopened: () => 'reopened',
  imported: (event) => `imported from another machine, as of ${textIn(event, 'exported_at')}`,
  conflict: (event) => {
    const { field, kept: won, other: lost } = event;
    const values = conflictValues({ field, kept: won, other: lost }, 300);
    const [kept, other] = [values.kept, values.other].map(withoutRoot);
    return `${textIn(event, 'field') || 'a field'} was changed on two machines: kept ${kept}, the other value was ${other}`;
  },
  primed: (event) => `loaded ${listText(event, 'artifacts') || 'artifacts'}`,
  read: (event) => `read ${textIn(event, 'file') || 'a required file'}`,
  updated: ({ changes }) => `updated: ${isObject(changes) ? Object.keys(changes).join(', ') : ''}`,
  'todo set': () => 'replaced the todo list',
  'todo added': (event) => `added a todo item${because(event, 'item')}`,
  'todo done': (event) => `finished a todo item${because(event, 'item')}`,
};

/** Paths inside the project as people type them. */
function withoutRoot(text: string): string {
  return text.replaceAll('{project_root}/', '').replaceAll('{project_root}', '.');
}

const HELD_BY = new Map([
  ['handed_over', ', handed over by /clear'],
  ['held_last', ' that held it last'],
  ['evidence', ' whose transcript shows that it works on it'],
  ['unclaimed', ' because no other had held it'],
  ['summary', ' because the summary of its conversation names it'],
]);

function textIn(event: JournalEvent, key: string): string {
  const value = event[key];
  return typeof value === 'string' ? value : '';
}

function listText(fields: JsonObject, key: string): string {
  const value = fields[key];
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join(', ') : '';
}

function because(event: JournalEvent, key = 'reason'): string {
  const text = textIn(event, key);
  return text === '' ? '' : `: ${text}`;
}

function phaseOf({ phase }: JournalEvent): string {
  if (!isObject(phase)) return '';
  const { current, total, name } = phase;
  const label = `${String(current)}/${String(total)}`;
  return `phase ${typeof name === 'string' && name !== '' ? `${label} ${name}` : label}`;
}

function atPhase(event: JournalEvent, before = ', '): string {
  const phase = phaseOf(event);
  return phase === '' ? '' : `${before}${phase}`;
}

function gatesText(event: JournalEvent): string {
  const gates = listText(event, 'gates');
  return gates === '' ? '' : ` (passed ${gates})`;
}

function untilText({ until }: JournalEvent): string {
  if (!isObject(until) || typeof until['command'] !== 'string') return '';
  return ` (${until['met'] === true ? 'ended by' : 'not ended by'} ${until['command']})`;
}

function costText({ cost_usd: cost }: JournalEvent): string {
  return typeof cost === 'number' ? `, $${cost.toFixed(2)}` : '';
}

/** What the template decided when the step failed. */
function outcome({ outcome: decided, attempt, of }: JournalEvent): string {
  switch (decided) {
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
