import { conflictWords } from '../../state/conflicts.ts';
import type { EventName, JournalEvent } from '../../state/journal.ts';
import { isObject } from '../../util/json.ts';
import { pluralize } from '../../util/relative-time.ts';
import {
  atPhase,
  failureOutcome,
  gatesPassed,
  listText,
  stringIn,
  untilResult,
  valueIn,
} from './event-fields.ts';
import type { EventKind } from './types/timeline.ts';

export interface KnownEvent {
  kind: EventKind;
  title: string;
  /** What somebody wrote. */
  text?: string;
  mentioned?: readonly string[];
}

type Describe = (event: JournalEvent) => KnownEvent;

/** The words for every event that holdfast records. */
export const EVENTS: Readonly<Record<EventName, Describe>> = {
  started: (event) => progress(`Started${atPhase(event)}`),
  detected: (event) => progress(`Detected in ${sourceOf(event)}`, 'source'),
  merged: (event) =>
    progress(`Took over changes from ${sourceOf(event)}${atPhase(event)}`, 'source'),
  returned: (event) => progress(`Came back with ${sourceOf(event)}`, 'source'),
  advanced: (event) => ({
    kind: 'progress',
    title: `Finished ${stringIn(event, 'finished') || 'a phase'}${gatesPassed(event)}${untilResult(event)}`,
    text: stringIn(event, 'output'),
    mentioned: ['finished', 'output', 'until', 'gates'],
  }),
  advance_requested: (event) => ({
    kind: 'progress',
    title: `The agent says that ${stringIn(event, 'step') || 'the step'} is finished; its checks are still to run`,
    mentioned: ['step'],
  }),
  advance_refused: (event) => withReason('trouble', 'The step is not finished yet', event),
  skipped: (event) =>
    withReason('progress', `Skipped ${stringIn(event, 'skipped') || 'a phase'}`, event, 'skipped'),
  tasks: (event) => ({
    kind: 'progress',
    title: `The loop "${stringIn(event, 'loop')}" got ${typeof event['count'] === 'number' ? pluralize(event['count'], 'task') : 'its tasks'}`,
    mentioned: ['loop', 'count'],
  }),
  completed: (event) => progress(`Completed${atPhase(event)}`),
  archived: (event) => ({
    kind: 'progress',
    title:
      stringIn(event, 'source') === ''
        ? 'Archived'
        : `Archived: ${stringIn(event, 'source')} says it is finished`,
    text: stringIn(event, 'reason'),
    mentioned: ['source', 'reason'],
  }),
  ended: () => progress('Ended on another machine'),
  reopened: () => progress('Reopened'),
  imported: (event) =>
    progress(
      `Imported from another machine, as of ${stringIn(event, 'exported_at')}`,
      'exported_at',
    ),
  conflict: (event) => {
    const { field, kept, other } = event;
    const words = conflictWords({ field, kept, other });
    return {
      kind: 'trouble',
      title: `${stringIn(event, 'field') || 'A field'} was changed on two machines`,
      text: `Kept: ${words?.kept ?? valueIn(event, 'kept')}\nOther value: ${words?.other ?? valueIn(event, 'other')}`,
      mentioned: ['field', 'kept', 'other', 'machine'],
    };
  },
  failed: (event) => ({
    kind: 'trouble',
    title: `${stringIn(event, 'failed') || 'The phase'} failed${failureOutcome(event)}`,
    text: stringIn(event, 'reason'),
    mentioned: ['failed', 'reason', 'outcome', 'attempt', 'of'],
  }),
  gate_failed: (event) =>
    withReason('trouble', `The gate \`${stringIn(event, 'command')}\` failed`, event, 'command'),
  pivot_refused: (event) => ({
    ...sentBack('trouble', event, ''),
    title: `Not sent back from ${stringIn(event, 'from')}: too many pivots`,
  }),
  pivoted: (event) => sentBack('back', event, 'Went back'),
  rejected: (event) => sentBack('back', event, 'You rejected it and sent it back'),
  approved: (event) => ({
    kind: 'person',
    title: `You approved ${stringIn(event, 'step')}${gatesPassed(event)}`,
    text: stringIn(event, 'note'),
    mentioned: ['step', 'note', 'gates'],
  }),
  paused: (event) => withReason('person', 'Paused', event),
  cancelled: (event) => withReason('trouble', 'Cancelled', event),
  context: (event) => ({
    kind: 'context',
    title: `${stringIn(event, 'performed') || 'A context action'} was performed`,
    mentioned: ['performed'],
  }),
  restored: (event) => ({
    kind: 'restore',
    title: RESTORED_AFTER.get(stringIn(event, 'source')) ?? 'Restored',
    mentioned: ['source', 'given'],
  }),
  primed: (event) => ({
    kind: 'reading',
    title: `Loaded ${listText(event, 'artifacts') || 'artifacts'}`,
    mentioned: ['artifacts'],
  }),
  read: (event) => ({
    kind: 'reading',
    title: `${stringIn(event, 'file') || 'A required file'} was read`,
    mentioned: ['file'],
  }),
  held: (event) => ({
    kind: 'session',
    title: `A session took it: ${HELD_BY.get(stringIn(event, 'rule')) ?? (stringIn(event, 'rule') || 'unknown reason')}`,
    mentioned: ['rule'],
  }),
  claimed: (event) => ({
    kind: 'session',
    title:
      stringIn(event, 'from') === '' ? 'Taken by a session' : 'Taken over from another session',
  }),
  resumed: () => ({ kind: 'session', title: 'Resumed' }),
  released: (event) => withReason('session', 'Released', event),
  session_ended: (event) => ({
    kind: 'session',
    title: `The session ended${stringIn(event, 'reason') === '' ? '' : ` (${stringIn(event, 'reason')})`}`,
    mentioned: ['reason'],
  }),
  driven: ({ fresh }) => ({
    kind: 'session',
    title: `\`holdfast run\` started a ${fresh === true ? 'fresh ' : ''}session for it`,
    mentioned: ['fresh'],
  }),
  step_driven: (event) => ({
    kind: 'cost',
    title: `Driven: ${stringIn(event, 'step')} ${stringIn(event, 'outcome')}${event['cost_usd'] === null ? ', cost unknown' : ''}`,
    mentioned: ['step', 'outcome', 'cost_usd'],
  }),
  updated: ({ changes }) => ({
    kind: 'other',
    title: `Edited: ${isObject(changes) ? Object.keys(changes).join(', ') : 'details'}`,
    mentioned: ['changes'],
  }),
  'todo set': () => ({ kind: 'other', title: 'Replaced the todo list' }),
  'todo added': (event) => todoItem('Added a todo item', event),
  'todo done': (event) => todoItem('Finished a todo item', event),
};

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

function progress(title: string, ...mentioned: string[]): KnownEvent {
  return { kind: 'progress', title, mentioned };
}

function sourceOf(event: JournalEvent): string {
  return stringIn(event, 'source') || 'a source';
}

function withReason(
  kind: EventKind,
  title: string,
  event: JournalEvent,
  ...mentioned: string[]
): KnownEvent {
  return { kind, title, text: stringIn(event, 'reason'), mentioned: ['reason', ...mentioned] };
}

function sentBack(kind: EventKind, event: JournalEvent, words: string): KnownEvent {
  return {
    kind,
    title: `${words} from ${stringIn(event, 'from')} to ${stringIn(event, 'to')}`,
    text: stringIn(event, 'feedback'),
    mentioned: ['from', 'to', 'feedback'],
  };
}

function todoItem(title: string, event: JournalEvent): KnownEvent {
  return { kind: 'other', title, text: stringIn(event, 'item'), mentioned: ['item'] };
}
