import { expect, it } from 'vitest';
import { EVENTS, eventWords } from '../../../src/state/event-words.ts';

it.each([...Object.keys(EVENTS), 'of_a_later_version', 'constructor'])(
  '%s without any field is still a readable line',
  (event) => {
    const { title, text } = eventWords({ event });
    expect(title).toMatch(/^\S/);
    expect(`${title} ${text}`).not.toMatch(/undefined|null|_/);
  },
);

it('values of another type are not told, and fields that the words do not mention are left to be shown', () => {
  const odd = { event: 'advanced', finished: 7, output: { a: 1 }, gates: 'x' };
  expect(eventWords(odd)).toMatchObject({ title: 'finished a phase', text: '' });
  const event = { event: 'step_driven', step: 'a', outcome: 'done', turns: 3, cost_usd: 1 };
  expect(eventWords(event).others).toEqual([['turns', 3]]);
});
