import { isObject } from '../text/json.ts';
import { pluralize } from '../text/relative-time.ts';
import { asWord, shortId } from '../text/sanitize.ts';
import { conflictValues } from './conflicts.ts';
import { phaseWords } from './phase-words.ts';
import { readPhase } from './read-state.ts';
import type { JournalEvent } from './types.ts';

/** What an event is about; it decides the icon on the page, and the filter that shows it. */
export type EventKind =
  | 'progress'
  | 'context'
  | 'restore'
  | 'reading'
  | 'back'
  | 'trouble'
  | 'person'
  | 'session'
  | 'cost'
  | 'other';

/**
 * A journal event as `holdfast history` and the page tell it. Events that a later version wrote keep their own name. The
 * title follows a time, and the text is what somebody wrote.
 */
export function eventWords(event: JournalEvent): {
  kind: EventKind;
  title: string;
  text: string;
  /** Whether the text is what somebody wrote, rather than words of holdfast. */
  isWritten: boolean;
} {
  const fields = new Fields(event);
  const words: Readonly<Record<string, EventText>> = EVENTS;
  const wordsOf = Object.hasOwn(EVENTS, event.event)
    ? words[event.event]
    : undefined;
  const [kind, title, ownText] = wordsOf?.(fields) ?? [
    'other',
    asWord(event.event.replaceAll('_', ' ')),
  ];
  const written = TEXTS.find(
    (key) => typeof event[key] === 'string' && !fields.mentioned.has(key),
  );
  const text = ownText ?? fields.text(written ?? '');
  const passed = fields.list('passed_by');
  return {
    kind,
    title:
      passed === ''
        ? title
        : `${title}; passed by ${passed}, whose condition is false`,
    text: text.trim(),
    isWritten: ownText === undefined,
  };
}

const MAX_WORDS = 300;

const listOfWords = (words: readonly string[]): string =>
  words.map((word) => asWord(word)).join(', ');

/** What somebody wrote; the first that the title does not mention is the text, where the event has none of its own. */
const TEXTS = ['output', 'reason', 'feedback', 'note', 'text', 'item'];

type EventText = (
  of: Fields,
) => readonly [kind: EventKind, title: string, text?: string];

class Fields {
  readonly mentioned = new Set<string>();

  constructor(private readonly event: JournalEvent) {}

  value(key: string): unknown {
    this.mentioned.add(key);
    return this.event[key];
  }

  text(key: string): string {
    const value = this.value(key);
    return typeof value === 'string' ? value : '';
  }

  /** Version 0.1.0 gave notes no number. */
  note(): string {
    return typeof this.value('n') === 'number'
      ? `note ${this.number('n')}`
      : 'a note';
  }

  /** An id or a path, within the title. Anybody who can write the project's files can write a journal. */
  word(key: string): string {
    const text = this.text(key);
    return text === '' ? '' : asWord(text);
  }

  /** What is more than one word as a rule, within the title; the number of a phase stays before its name. */
  words(key: string): string {
    const [, number = '', name = ''] =
      /^(\d+\/\d+ )?(.*)$/s.exec(this.text(key)) ?? [];
    return name === '' ? number.trim() : number + asWord(name, MAX_WORDS);
  }

  number(key: string): string {
    const value = this.value(key);
    return typeof value === 'number' ? String(value) : '?';
  }

  list(key: string): string {
    const value: unknown = this.value(key);
    const parts: unknown[] = Array.isArray(value) ? value : [];
    return listOfWords(parts.filter((part) => typeof part === 'string'));
  }

  phase(before = ', '): string {
    const phase = this.value('phase');
    if (!isObject(phase)) return '';
    const known = readPhase(phase);
    return known === null ? '' : `${before}phase ${phaseWords(known)}`;
  }

  gates(): string {
    const gates = this.list('gates');
    return gates === '' ? '' : ` (passed ${gates})`;
  }

  /** Who answered, as they were named with the answer; nobody has checked it. */
  who(): string {
    const who = this.word('who');
    return who === '' ? '' : ` (${who})`;
  }

  until(): string {
    const until = this.value('until');
    if (!isObject(until) || typeof until['command'] !== 'string') return '';
    const command = asWord(until['command'], MAX_WORDS);
    return ` (${until['met'] === true ? 'ended by' : 'not ended by'} ${command})`;
  }

  outcome(): string {
    const retry = `, retry ${this.number('attempt')} of ${this.number('of')}`;
    const texts = new Map([
      ['retry', retry],
      ['skip', ', skipped'],
      ['abort', ', the run failed'],
    ]);
    return texts.get(this.text('outcome')) ?? '';
  }
}

export const EVENTS = {
  started: (of) => ['progress', `started${of.phase()}`],
  detected: (of) => ['progress', `detected in ${of.word('source')}`],
  merged: (of) => [
    'progress',
    `merged changes from ${of.word('source')}${of.phase()}`,
  ],
  returned: (of) => ['progress', `came back with ${of.word('source')}`],
  advanced: (of) => [
    'progress',
    `finished ${of.words('finished') || 'a phase'}${of.gates()}${of.until()}`,
  ],
  begun: (of) => ['progress', `began${of.phase(' ')}`],
  advance_requested: (of) => [
    'progress',
    `the agent reported ${of.words('step') || 'the step'} as finished; its checks are still to run`,
  ],
  advance_refused: () => ['trouble', 'the step is not finished yet'],
  skipped: (of) => ['progress', `skipped ${of.words('skipped') || 'a phase'}`],
  tasks: (of) => {
    const count = of.value('count');
    const tasks =
      typeof count === 'number' ? pluralize(count, 'task') : 'tasks';
    return ['progress', `${of.words('loop') || 'a loop'} was given ${tasks}`];
  },
  completed: (of) => {
    const early = of.value('ended_early');
    const left =
      isObject(early) && Array.isArray(early['left']) ? early['left'] : null;
    if (left === null) return ['progress', `completed${of.phase(' at ')}`];
    const names = left.map((name) => asWord(String(name))).join(', ');
    return ['trouble', `ended early${of.phase(' at ')}; left: ${names}`];
  },
  archived: (of) => {
    const source = of.word('source');
    const why = source === '' ? '' : `, because ${source} says it is finished`;
    return ['progress', `archived${why}`];
  },
  ended: () => ['progress', 'ended on another machine'],
  reopened: () => ['progress', 'reopened'],
  imported: (of) => [
    'progress',
    `imported from another machine, as of ${of.word('exported_at')}`,
  ],
  conflict: (of) => {
    const [field, kept, other] = ['field', 'kept', 'other'].map((key) =>
      of.value(key),
    );
    const values = conflictValues({ field, kept, other }, 300);
    return [
      'trouble',
      `${of.word('field') || 'a field'} was changed on two machines`,
      // Paths inside the project as people type them.
      `kept ${values.kept}, the other value was ${values.other}`
        .replaceAll('{project_root}/', '')
        .replaceAll('{project_root}', '.'),
    ];
  },
  failed: (of) => [
    'trouble',
    `${of.words('failed') || of.phase('') || 'the phase'} failed${of.outcome()}`,
  ],
  gate_failed: (of) => ['trouble', `the gate ${of.words('command')} failed`],
  pivot_refused: (of) => [
    'trouble',
    `was not sent back${between(of)}, too many pivots`,
  ],
  pivoted: (of) => ['back', `went back${between(of)}`],
  rejected: (of) => [
    'back',
    `the user${of.who()} rejected ${of.words('from')} and sent the work back to ${of.words('to')}`,
  ],
  approved: (of) => [
    'person',
    `the user${of.who()} approved ${of.words('step')}${of.gates()}`,
  ],
  noted: (of) => {
    const note = of.note();
    if (of.value('model') === true)
      return ['progress', `the model recorded ${note} before a compaction`];
    if (of.value('replaces') === undefined)
      return ['progress', `recorded ${note}`];
    const before = of.words('replaced_text');
    const former = before === '' ? '' : ` (before: ${before})`;
    return [
      'progress',
      `recorded ${note} in place of ${of.number('replaces')}${former}`,
    ];
  },
  note_forgotten: (of) => ['progress', `forgot ${of.note()}`],
  paused: () => ['person', 'paused'],
  cancelled: () => ['trouble', 'cancelled'],
  context: (of) => [
    'context',
    `${of.word('performed') || 'a context action'} was reported as done`,
  ],
  restored: (of) => {
    const source = of.word('source');
    return ['restore', source === '' ? 'restored' : `restored after ${source}`];
  },
  primed: (of) => ['reading', `loaded ${of.list('artifacts') || 'artifacts'}`],
  read: (of) => ['reading', `read ${of.word('file') || 'a required file'}`],
  held: (of) => [
    'session',
    `taken by a session${HELD_BY.get(of.text('rule')) ?? ''}`,
  ],
  claimed: (of) => {
    const from = shortId(of.text('from'));
    return [
      'session',
      from === '' ? 'taken' : `taken over from session ${from}`,
    ];
  },
  resumed: () => ['session', 'resumed'],
  released: () => ['session', 'released'],
  session_ended: (of) => [
    'session',
    `the session ended${endReason(of.text('reason'))}`,
  ],
  driven: (of) => [
    'session',
    `holdfast run started a ${of.value('fresh') === true ? 'fresh ' : ''}session`,
  ],
  step_driven: (of) => [
    'cost',
    `holdfast run: ${of.words('step')} ${of.word('outcome')}`,
  ],
  updated: (of) => {
    const changes = of.value('changes');
    return [
      'other',
      `updated: ${isObject(changes) ? listOfWords(Object.keys(changes)) : ''}`,
    ];
  },
  'todo set': () => ['other', 'replaced the todo list'],
  'todo added': () => ['other', 'added a todo item'],
  'todo done': () => ['other', 'finished a todo item'],
} satisfies Record<string, EventText>;

/** Why a session ended, in words instead of the host's; follows "ended". */
export function endReason(reason: string): string {
  return (
    END_REASONS.get(reason) ??
    (reason === '' ? '' : ` (${asWord(reason.replaceAll('_', ' '))})`)
  );
}

const END_REASONS = new Map([
  ['clear', ' by /clear'],
  ['resume', ' because another conversation was resumed'],
  ['logout', ' because you logged out'],
  ['prompt_input_exit', ' because you left it'],
  [
    'bypass_permissions_disabled',
    ' because skipping permissions was forbidden',
  ],
  ['other', ''],
]);

const HELD_BY = new Map([
  ['handed_over', ', handed over by /clear'],
  ['held_last', ' that held it last'],
  ['evidence', ' whose transcript shows that it works on it'],
  ['unclaimed', ' because no other had held it'],
  ['summary', ' because the summary of its conversation names it'],
]);

function between(of: Fields): string {
  const to = of.words('to');
  return ` from ${of.words('from')}${to === '' ? '' : ` to ${to}`}`;
}

/** Follows everything else: the files and artifacts that came into the context with the event. */
export function loadedIn({ loaded }: JournalEvent): string {
  const ids: unknown[] = Array.isArray(loaded) ? loaded : [];
  const names = ids
    .filter((id) => typeof id === 'string')
    .map((id) => id.replace(/^@/, ''));
  return names.length === 0 ? '' : `, with ${listOfWords(names)}`;
}

/** In US dollars. */
export const costOf = ({ cost_usd: cost }: JournalEvent): number | null =>
  typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? cost : null;

/** Follows the title; empty for this machine. */
export const placeOf = ({ machine }: JournalEvent): string =>
  typeof machine === 'string' && machine !== 'merge'
    ? ` on machine ${asWord(machine)}`
    : '';
