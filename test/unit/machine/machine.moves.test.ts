import { describe, expect, test } from 'vitest';
import type {
  Template,
  Transition,
} from '../../../src/machine/template-types.generated.ts';
import {
  placeOf,
  play,
  played,
  restarted,
  templateOf,
} from '../../support/templates.ts';
import { saying } from '../../support/failures.ts';

const LOOP = 'items[write review] end';
const WAY = 'plan build[code check] polish:2@compact review ship';
const REVIEW = 'next=plan tasks:build=A,B next next next next next next';

/** Where a run stands after its moves, also in another process. */
const leads: Record<string, [line: string, moves: string, place: string][]> = {
  'a run walks': [
    [LOOP, 'tasks:items=A,B next next', 'items.B.write'],
    [LOOP, 'tasks:items=A,B next next next next', 'end'],
    ['polish:3 end', 'next next next', 'end'],
    ['polish:3 end', 'next until', 'end'],
    ['agree? end', 'approve', 'end'],
  ],
  'a failure': [
    ['a b', 'fail', 'failed a'],
    ['a!skip b', 'fail', 'b'],
    ['a!skip', 'fail', 'complete a'],
    ['a!retry b', 'fail fail fail fail', 'failed a'],
    ['polish:3!retry b', 'next fail', 'polish.2'],
    ['polish:3!skip b', 'next fail', 'b'],
    [
      'items[write review!skip] end',
      'tasks:items=A,B next fail next fail',
      'end',
    ],
    [
      'items[write review!retry] end',
      'tasks:items=A,B next fail',
      'items.A.review',
    ],
    ['items[write]!skip end', 'tasks:items=A,B fail', 'items.B.write'],
    ['items[write!skip]!abort end', 'tasks:items=A,B fail', 'items.B.write'],
    [LOOP, 'tasks:items=A fail', 'failed items.A.write'],
    ['items[write]!skip end', 'fail', 'end'],
    ['items[write]!abort end', 'fail', 'failed items'],
    // A gate stands against skipping, unless it is that of the sub-step.
    [
      'items[write!skip]#make end',
      'tasks:items=A,B fail fail',
      'failed items.B.write',
    ],
    ['items[write!skip#make] end', 'tasks:items=A,B fail fail', 'end'],
    ['items[write#make]!skip end', 'fail', 'failed items'],
  ],
  'a run that is opened again': [
    ['a b', 'next fail reopen', 'b'],
    ['a b c-', 'next next reopen', 'b'],
    [LOOP, 'fail reopen tasks:items=A', 'items.A.write'],
    [
      'items[write review]!retry',
      'tasks:items=A next fail fail fail fail reopen',
      'items.A.review',
    ],
  ],
  tasks: [
    [`plan ${LOOP}`, 'tasks:items=A', 'plan'],
    [`plan ${LOOP}`, 'tasks:items=A next', 'items.A.write'],
    [`plan ${LOOP}`, 'tasks:items=A,B tasks:items=C next', 'items.C.write'],
    [`plan ${LOOP}`, 'tasks:items= next', 'end'],
    [LOOP, 'tasks:items=', 'end'],
    [LOOP, 'tasks:items=+A', 'end'],
    [LOOP, 'tasks:items=+A,B', 'items.B.write'],
    [LOOP, 'tasks:items=A,B,C tasks:items=+B next next', 'items.C.write'],
    [LOOP, 'tasks:items=A,B next tasks:items=', 'items.A.review'],
    [LOOP, 'tasks:items=A,B next tasks:items=C,B,A', 'items.A.review'],
    [LOOP, 'tasks:items=A,B skip', 'end'],
  ],
  'a pivot': [
    [WAY, `${REVIEW} pivot:plan`, 'plan'],
    [WAY, `${REVIEW} pivot:plan next`, 'build.A.code'],
    [WAY, `${REVIEW} pivot:polish`, 'polish.1 /compact due'],
    [WAY, 'next tasks:build= pivot:build', 'build'],
    ['a[x] b[y]', 'tasks:a=A,B next next tasks:b=C,D next pivot:a', 'a.A.x'],
  ],
  'a rejection': [
    ['plan draft agree? build', 'next next reject', 'draft'],
    ['plan draft- agree? build', 'next reject', 'plan'],
  ],
  'a condition that is false': [
    ['a- b c-', '', 'b'],
    ['a- b c-', 'next', 'complete c'],
    ['a b-#make', 'next', 'complete b'],
    ['a items[write]- polish:2-', 'next', 'complete polish'],
  ],
  'a context action': [
    ['a@compact b', 'asked', 'a /compact requested'],
    ['a@compact b', 'compact', 'a /compact performed'],
    ['a@compact b', 'clear', 'a /compact performed'],
    ['a@clear b', 'compact', 'a /clear due'],
    ['a@clear b', 'asked clear', 'a /clear performed'],
    ['a@compact b@compact', 'compact clear next', 'b /compact due'],
    // Nothing is due while a loop waits or a run is over, and a retry is no new entry.
    ['items[write]@clear', 'asked tasks:items=A', 'items.A.write /clear due'],
    ['a@clear', 'fail', 'failed a'],
    ['a@clear', 'fail reopen', 'a /clear due'],
    ['a@clear!retry', 'asked fail', 'a /clear requested'],
    ['a@clear', 'asked fail reopen', 'a /clear requested'],
  ],
};

describe.each(Object.entries(leads))('%s', (_what, cases) => {
  test.each(cases)('%s: %s', (line, moves, place) => {
    const machine = played(templateOf(line), moves);
    expect(placeOf(machine)).toBe(place);
    expect(restarted(machine).getState()).toEqual(machine.getState());
  });
});

/** What a transition from a to b does: it beats the step, is beaten by a sub-step, and acts at the first entry only. */
describe('a transition', () => {
  test.each<[string, Transition['context'], string, string]>([
    ['a b', 'compact', 'next', 'b /compact due'],
    ['a x b@compact', 'keep', 'next next', 'b /compact due'],
    [
      'a b[write review]@compact',
      'clear',
      'next tasks:b=A',
      'b.A.write /clear due',
    ],
    [
      'a b[write review]@compact',
      'clear',
      'next tasks:b=A next',
      'b.A.review /compact due',
    ],
    ['a b:2@clear', 'keep', 'next next', 'b.2 /clear due'],
    // A loop that had nothing to do was left, a step that does not apply was not.
    ['x a[write] b', 'clear', 'tasks:a= next', 'b /clear due'],
    ['x a[write] b', 'clear', 'next tasks:a=', 'b /clear due'],
    ['a x- b', 'clear', 'next', 'b /clear due'],
  ])('%s, %s: %s', (line, context, moves, place) => {
    const transitions = [{ from: 'a', to: 'b', context }];
    expect(placeOf(played(templateOf(line, { transitions }), moves))).toBe(
      place,
    );
  });

  test('of a pivot is that of its way', () => {
    const transitions: Transition[] = [
      { from: 'c', to: 'a', context: 'clear' },
    ];
    const machine = played(
      templateOf('a b c', { transitions }),
      'next next pivot:a',
    );
    expect(placeOf(machine)).toBe('a /clear due');
  });

  test.each<
    [Transition['context'], string[] | undefined, string[] | undefined]
  >([
    ['clear', ['summary', 'plan', 'plan'], ['summary', 'plan']],
    ['compact', ['feedback'], ['feedback']],
    ['keep', ['budget'], ['budget']],
    ['clear', undefined, undefined],
  ])(
    '%s that preserves %j: it is known at its step, and only there',
    (context, given, kept) => {
      const preserve = given === undefined ? {} : { preserve: given };
      const template = templateOf('a b c', {
        transitions: [{ from: 'a', to: 'b', context, ...preserve }],
      });
      expect(played(template, 'next').state.preserved).toEqual(kept);
      expect(played(template, 'next fail reopen').state.preserved).toEqual(
        kept,
      );
      expect(played(template, 'next next').state).not.toHaveProperty(
        'preserved',
      );
    },
  );
});

/** A move that is refused changes nothing. */
describe('refused', () => {
  const few: Partial<Template> = { max_pivots: 1 };
  const over = '"Feature" is complete; it has no steps left';
  const pending = "waits for the user's approval";
  test.each<[string, string, string, string | RegExp, Partial<Template>?]>([
    ['a', 'next', 'next', over],
    ['a', 'fail=no_access', 'next', '"Feature" has failed (no_access)'],
    ['a b', 'fail', 'pivot:a', 'has failed'],
    [
      LOOP,
      '',
      'next=done',
      /needs the tasks of "items".*`holdfast tasks items`/,
    ],
    [
      LOOP,
      'tasks:items=',
      'tasks:items=A',
      '"items" takes no more tasks: step "items" is over',
    ],
    [LOOP, '', 'tasks:item=A', 'no loop "item"; available: items'],
    [LOOP, '', 'tasks:end=A', 'no loop "end"'],
    ['a', '', 'tasks:items=A', 'it has no loops, so it takes no tasks'],
    ['items[write#make]', '', 'tasks:items=', 'has a gate, so an empty list'],
    [
      'items[write]#make',
      '',
      'tasks:items=+A',
      'has a gate, so an empty list or a task given as',
    ],
    ['a#make b', '', 'skip', 'step "a" has a gate, so it cannot be skipped'],
    ['items[write#make] b', '', 'skip', 'has a gate, so it cannot be skipped'],
    ['a agree? b', 'next', 'next', pending],
    ['a agree?!skip b', 'next', 'fail', pending],
    ['a agree? b', 'next', 'skip', /`holdfast reject/],
    ['a b', '', 'approve', 'is not an approval step'],
    ['a b', '', 'reject', 'is not an approval step'],
    ['agree? b', '', 'reject', 'no step before "agree" applies'],
    [
      WAY,
      REVIEW,
      'pivot:review',
      'step "review" does not come before the current step "review"',
    ],
    [
      WAY,
      REVIEW,
      'pivot:ship',
      /does not come before .*earlier steps: plan, build, polish$/i,
    ],
    [
      WAY,
      REVIEW,
      'pivot:constructor',
      'this workflow has no step "constructor"',
    ],
    ['a docs- ship', 'next', 'pivot:docs', 'does not apply to this run'],
    ['a docs- ship', 'next', 'pivot:ship', /earlier steps: a$/],
    ['a b', '', 'pivot:b', 'this is the first step'],
    [
      'a b',
      'next pivot:a next',
      'pivot:a',
      'sent back once, and its template allows 1',
      few,
    ],
    // Of what the user can do at the limit of an approval, only what is left is named.
    ...['reject', 'next', 'fail', 'skip'].map(
      (move): [string, string, string, RegExp, Partial<Template>] => [
        'a agree?',
        'next reject next',
        move,
        /^(?!.*holdfast (?:reject|advance|fail|skip)).*`holdfast approve`.*`holdfast complete`/,
        few,
      ],
    ),
  ])('%s, %s: %s', (line, moves, move, message, fields) => {
    const machine = played(templateOf(line, fields), moves);
    const before = machine.getState();
    expect(() => play(machine, move)).toThrow(saying(message));
    expect(machine.getState()).toEqual(before);
  });

  test('a seventh pivot, if the template says nothing', () => {
    const machine = played(templateOf('a b'), 'next pivot:a '.repeat(6));
    play(machine, 'next');
    expect(() => play(machine, 'pivot:a')).toThrow(
      saying('its template allows 6'),
    );
  });
});

/** What is in the state after some moves. */
describe('the state has', () => {
  const retry = 'a!retry b';
  test.each<[string, string, string, object]>([
    [
      'the reason of a failure',
      'a',
      'fail=no_access',
      { status: 'failed', reason: 'no_access' },
    ],
    ['how often it was retried', retry, 'fail fail', { retries: 2 }],
    [
      'the outputs',
      'a polish:2',
      'next=1 next=2 next=3',
      { outputs: { a: '1', 'polish.1': '2' } },
    ],
    [
      'that of a task',
      LOOP,
      'tasks:items=T next=x',
      { outputs: { 'items.T.write': 'x' } },
    ],
    ['no blank output', 'a b', 'next=', { outputs: {} }],
    [
      'the note of an approval',
      'agree? b',
      'approve=go',
      { outputs: { agree: 'go' } },
    ],
    [
      'where a pivot came from',
      'a b',
      'next pivot:a',
      { cameFrom: 'b', pivots: 1 },
    ],
    [
      'what a pivot left',
      'a b c',
      'next=x next=y pivot:b',
      { outputs: { a: 'x' } },
    ],
    [
      'what it sent back',
      'a b c',
      'next=x next=y pivot:b',
      { sentBack: { b: '(sent back) y' } },
    ],
    ['nothing of it later', 'a b', 'next=x pivot:a next', { outputs: {} }],
    ['what was passed by', 'a- b c- d', 'next', { passedBy: ['a', 'c'] }],
    [
      'tasks to do again, and one under way',
      'a[x] b[y]',
      'tasks:a=A,B next next tasks:b=C pivot:a',
      {
        tasks: {
          a: [{ status: 'in_progress' }, { status: 'pending' }],
          b: [{ status: 'pending' }],
        },
      },
    ],
    [
      'tasks that failed, and none under way',
      'items[write!skip] b',
      'tasks:items=A,B fail next',
      { tasks: { items: [{ status: 'failed' }, { status: 'done' }] } },
    ],
    [
      'a skipped task as failed, and the rest as they were',
      LOOP,
      'tasks:items=A,B skip',
      { tasks: { items: [{ status: 'failed' }, { status: 'pending' }] } },
    ],
  ])('%s', (_what, line, moves, state) => {
    expect(played(templateOf(line), moves).getState()).toMatchObject(state);
  });

  test('only the outputs of this time, where fewer iterations are enough', () => {
    const machine = played(
      templateOf('polish:3 ship'),
      'next=1 next=2 next=3 pivot:polish next=4 until=5',
    );
    expect(machine.state.outputs).toEqual({ 'polish.1': '4', 'polish.2': '5' });
  });
});

test('what on_fail decides is told', () => {
  const outcomes = (line: string, times: number): object[] => {
    const machine = played(templateOf(line, { max_retries: 1 }), '');
    return Array.from({ length: times }, () => machine.fail('x'));
  };
  expect(outcomes('a!retry', 2)).toEqual([
    { outcome: 'retry', attempt: 1, of: 1 },
    { outcome: 'abort', attempt: 1, of: 1 },
  ]);
  expect(outcomes('a!skip b', 1)).toEqual([{ outcome: 'skip' }]);
  expect(outcomes('a', 1)).toEqual([{ outcome: 'abort' }]);
  expect(outcomes('a!skip#make b', 1)).toEqual([
    { outcome: 'abort', gated: true },
  ]);
});
