import { expect, it } from 'vitest';
import { costOf, EVENTS, eventWords } from '../../../src/state/event-words.ts';

it.each(Object.keys(EVENTS))('%s without any field is still a readable line', (event) => {
  const { title, text } = eventWords({ event });
  expect(title).toMatch(/^\S/);
  expect(`${title} ${text}`).not.toMatch(/undefined|null|_/);
});

it.each([
  [
    { event: 'started', phase: { current: 1, total: 3, name: 'Design' } },
    'started, phase 1/3 Design',
  ],
  [
    { event: 'held', rule: 'evidence' },
    'taken by a session whose transcript shows that it works on it',
  ],
  [{ event: 'held', rule: 'something_new' }, 'taken by a session'],
  [
    { event: 'gate_failed', command: 'npm test', reason: 'exit 1' },
    'the gate npm test failed: exit 1',
  ],
  [
    { event: 'advanced', finished: 'step 1 of 2 (plan)', gates: ['npm test', 7], output: 'see x' },
    'finished step 1 of 2 (plan) (passed npm test): see x',
  ],
  [
    { event: 'advanced', finished: 'step 1', until: { command: 'npm test', met: true } },
    'finished step 1 (ended by npm test)',
  ],
  [
    { event: 'advanced', finished: 'a', passed_by: ['docs'] },
    'finished a; passed by docs, whose condition is false',
  ],
  [{ event: 'advanced', finished: 7, output: { a: 1 }, gates: 'x' }, 'finished a phase'],
  [
    { event: 'failed', failed: 'step 1', outcome: 'retry', attempt: 1, of: 3, reason: 'red' },
    'step 1 failed, retry 1 of 3: red',
  ],
  [
    { event: 'pivot_refused', from: 'check', to: 'build', feedback: 'no' },
    'was not sent back from check to build, too many pivots: no',
  ],
  [
    { event: 'pivot_refused', from: 'sign', feedback: 'no' },
    'was not sent back from sign, too many pivots: no',
  ],
  [{ event: 'archived', source: 'PLAN.md' }, 'archived, because PLAN.md says it is finished'],
  [{ event: 'driven', fresh: true }, 'holdfast run started a fresh session'],
  [{ event: 'later_version' }, 'later version'],
  [{ event: 'constructor' }, 'constructor'],
  [
    {
      event: 'conflict',
      field: 'artifacts.plan',
      kept: '{project_root}/docs/plan.md',
      other: '{project_root}',
    },
    'artifacts.plan was changed on two machines: kept "docs/plan.md", the other value was "."',
  ],
])('%j', (event, line) => {
  const { title, text } = eventWords(event);
  expect(text === '' ? title : `${title}: ${text}`).toBe(line);
});

it('fields that the words do not mention are left to be shown', () => {
  const event = { at: '', event: 'step_driven', step: 'a', outcome: 'done', turns: 3, cost_usd: 1 };
  expect(eventWords(event).others).toEqual([['turns', 3]]);
  expect(eventWords({ event: 'new', step: 'build', by: 'run' }).others).toEqual([
    ['step', 'build'],
  ]);
});

it.each([
  [0.25, 0.25],
  [null, null],
  [-3, null],
  ['1', null],
])('a cost of %j counts as %j', (cost, counted) => {
  expect(costOf({ event: 'step_driven', cost_usd: cost })).toBe(counted);
});
