import type { JournalEvent } from '../../state/journal.ts';
import { isObject } from '../../util/json.ts';
import { pluralize } from '../../util/relative-time.ts';
import type { EventKind } from './types.ts';

export interface EventWords {
  kind: EventKind;
  title: string;
  /** What somebody wrote: an output, a reason, feedback. */
  text: string | null;
  /** The fields that title and text contain. */
  mentioned: readonly string[];
}

/** A journal event as a line for people. Events that are not known here keep their own name. */
export function eventWords(event: JournalEvent): EventWords {
  const field = fieldsOf(event);
  const known = KNOWN.get(event.event)?.(field, event);
  if (known === undefined)
    return { kind: 'other', title: sentence(event.event), text: null, mentioned: [] };
  const passed = passedBy(event);
  return {
    text: null,
    ...known,
    title: `${known.title}${passed}`,
    mentioned: [...(known.mentioned ?? []), ...(passed === '' ? [] : ['passed_by'])],
  };
}

type Known = Pick<EventWords, 'kind' | 'title'> & Partial<EventWords>;
type Field = (key: string) => string;

const KNOWN = new Map<string, (field: Field, event: JournalEvent) => Known>([
  ['started', (_, event) => ({ kind: 'progress', title: `Started${atPhase(event)}` })],
  ['detected', (field) => source('progress', 'Detected in', field)],
  [
    'merged',
    (field, event) => ({
      ...source('progress', 'Took over changes from', field),
      title: `Took over changes from ${field('source')}${atPhase(event)}`,
    }),
  ],
  ['returned', (field) => source('progress', 'Came back with', field)],
  [
    'advanced',
    (field, event) => ({
      kind: 'progress',
      title: `Finished ${field('finished') || 'a phase'}${untilWords(event)}`,
      text: orNull(field('output')),
      mentioned: ['finished', 'output', 'until'],
    }),
  ],
  ['skipped', (field) => withReason('progress', `Skipped ${field('skipped')}`, field, 'skipped')],
  [
    'tasks',
    (field, event) => ({
      kind: 'progress',
      title: `Loop ${field('loop')} got ${typeof event['count'] === 'number' ? pluralize(event['count'], 'task') : 'its tasks'}`,
      mentioned: ['loop', 'count'],
    }),
  ],
  ['completed', (_, event) => ({ kind: 'progress', title: `Completed${atPhase(event)}` })],
  [
    'archived',
    (field) => ({
      kind: 'progress',
      title:
        field('source') === '' ? 'Archived' : `Archived: ${field('source')} says it is finished`,
      text: orNull(field('reason')),
      mentioned: ['source', 'reason'],
    }),
  ],
  ['reopened', () => ({ kind: 'progress', title: 'Reopened' })],
  [
    'imported',
    (field) => ({
      kind: 'progress',
      title: `Imported from another machine, as of ${field('exported_at')}`,
      mentioned: ['exported_at'],
    }),
  ],
  [
    'failed',
    (field, event) => ({
      kind: 'trouble',
      title: `${field('failed') || 'The phase'} failed${outcome(event)}`,
      text: orNull(field('reason')),
      mentioned: ['failed', 'reason', 'outcome', 'attempt', 'of'],
    }),
  ],
  [
    'pivot_refused',
    (field) => ({
      ...sentBack('trouble', 'Refused to go back', field),
      title: `Not sent back from ${field('from')}: too many pivots`,
    }),
  ],
  ['pivoted', (field) => sentBack('back', 'Went back', field)],
  ['rejected', (field) => sentBack('back', 'You rejected it and sent it back', field)],
  [
    'approved',
    (field) => ({
      kind: 'person',
      title: `You approved ${field('step')}`,
      text: orNull(field('note')),
      mentioned: ['step', 'note'],
    }),
  ],
  [
    'context',
    (field) => ({
      kind: 'context',
      title: `${field('performed')} was performed`,
      mentioned: ['performed'],
    }),
  ],
  [
    'restored',
    (field) => ({
      kind: 'restore',
      title: RESTORED_AFTER.get(field('source')) ?? 'Restored',
      mentioned: ['source', 'given'],
    }),
  ],
  [
    'held',
    (field) => ({
      kind: 'session',
      title: `A session took it: ${HELD_BY.get(field('rule')) ?? (field('rule') || 'unknown reason')}`,
      mentioned: ['rule'],
    }),
  ],
  [
    'claimed',
    (field) => ({
      kind: 'session',
      title: field('from') === '' ? 'Taken by a session' : 'Taken over from another session',
      mentioned: field('from') === '' ? [] : [],
    }),
  ],
  ['resumed', () => ({ kind: 'session', title: 'Resumed' })],
  ['released', (field) => withReason('session', 'Released', field)],
  [
    'session_ended',
    (field) => ({
      kind: 'session',
      title: `The session ended${field('reason') === '' ? '' : ` (${field('reason')})`}`,
      mentioned: ['reason'],
    }),
  ],
  ['paused', (field) => withReason('person', 'Paused', field)],
  ['cancelled', (field) => withReason('trouble', 'Cancelled', field)],
  [
    'updated',
    (_, event) => ({
      kind: 'other',
      title: `Edited: ${isObject(event['changes']) ? Object.keys(event['changes']).join(', ') : 'details'}`,
      mentioned: ['changes'],
    }),
  ],
  [
    'primed',
    (_, event) => ({
      kind: 'reading',
      title: `Loaded ${Array.isArray(event['artifacts']) ? event['artifacts'].join(', ') : 'artifacts'}`,
      mentioned: ['artifacts'],
    }),
  ],
  [
    'driven',
    (_, event) => ({
      kind: 'session',
      title: `\`holdfast run\` started a ${event['fresh'] === true ? 'fresh ' : ''}session for it`,
      mentioned: ['fresh'],
    }),
  ],
  [
    'step_driven',
    (field, event) => ({
      kind: 'cost',
      title: `Driven: ${field('step')} ${field('outcome')}${event['cost_usd'] === null ? ', cost unknown' : ''}`,
      mentioned: ['step', 'outcome', 'cost_usd'],
    }),
  ],
  [
    'gate_failed',
    (field) => withReason('trouble', `The gate \`${field('command')}\` failed`, field, 'command'),
  ],
  ['todo set', () => ({ kind: 'other', title: 'Replaced the todo list' })],
  ['todo added', (field) => todo('Added a todo item', field)],
  ['todo done', (field) => todo('Finished a todo item', field)],
]);

const RESTORED_AFTER = new Map([
  ['compact', 'Compacted, then restored'],
  ['clear', 'Cleared, then restored'],
  ['resume', 'Conversation resumed'],
  ['startup', 'Restored in a new session'],
  ['fork', 'Restored in a fork'],
]);

const HELD_BY = new Map([
  ['handed_over', 'handed over by /clear'],
  ['held_last', 'it held it last'],
  ['evidence', 'its transcript shows that it works on it'],
  ['unclaimed', 'no session had held it'],
  ['summary', 'the summary of the conversation names it'],
]);

function fieldsOf(event: JournalEvent): Field {
  return (key) => {
    const value = Object.hasOwn(event, key) ? event[key] : undefined;
    return typeof value === 'string' ? value : '';
  };
}

function source(kind: EventKind, words: string, field: Field): Known {
  return { kind, title: `${words} ${field('source') || 'a source'}`, mentioned: ['source'] };
}

function withReason(kind: EventKind, title: string, field: Field, ...more: string[]): Known {
  return { kind, title, text: orNull(field('reason')), mentioned: ['reason', ...more] };
}

function sentBack(kind: EventKind, words: string, field: Field): Known {
  return {
    kind,
    title: `${words} from ${field('from')} to ${field('to')}`,
    text: orNull(field('feedback')),
    mentioned: ['from', 'to', 'feedback'],
  };
}

function todo(title: string, field: Field): Known {
  return { kind: 'other', title, text: orNull(field('item')), mentioned: ['item'] };
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text;
}

function atPhase({ phase }: JournalEvent): string {
  if (!isObject(phase)) return '';
  const { current, total, name } = phase;
  const label = `${String(current)}/${String(total)}`;
  return `, phase ${typeof name === 'string' && name !== '' ? `${label} ${name}` : label}`;
}

function untilWords({ until }: JournalEvent): string {
  if (!isObject(until) || typeof until['command'] !== 'string') return '';
  return until['met'] === true
    ? `, ended by \`${until['command']}\``
    : `, \`${until['command']}\` does not pass yet`;
}

/** What the template decided when the step failed. */
function outcome({ outcome: decided, attempt, of }: JournalEvent): string {
  switch (decided) {
    case 'retry':
      return `, retry ${String(attempt)} of ${String(of)}`;
    case 'skip':
      return ', skipped';
    case 'abort':
      return ', and with it the run';
    default:
      return '';
  }
}

function passedBy({ passed_by: steps }: JournalEvent): string {
  return Array.isArray(steps) ? `; passed by ${steps.join(', ')}` : '';
}

function sentence(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words === '' ? 'Unnamed event' : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
