import { expect, it } from 'vitest';
import { EVENT_NAMES } from '../../../../src/state/journal.ts';
import { EVENTS } from '../../../../src/ui/model/event-table.ts';
import { eventWords } from '../../../../src/ui/model/event-words.ts';

it('every event that is recorded has words of its own', () => {
  expect(Object.keys(EVENTS).toSorted()).toEqual([...EVENT_NAMES].toSorted());
});

it.each(EVENT_NAMES)('%s without any field is still a readable line', (event) => {
  const { title } = eventWords({ event });
  expect(title).toMatch(/^\p{Lu}|^`holdfast/u);
  expect(title).not.toMatch(/undefined|null|_/);
});

it('a value that two machines set shows both values', () => {
  expect(
    eventWords({ event: 'conflict', field: 'context.owner', kept: 'ann', other: { a: 1 } }),
  ).toEqual({
    kind: 'trouble',
    title: 'context.owner was changed on two machines',
    text: 'Kept: ann\nOther value: {"a":1}',
    mentioned: ['field', 'kept', 'other', 'machine'],
  });
});

it('a driven step that the agent calls finished is not finished yet', () => {
  expect(eventWords({ event: 'advance_requested', step: 'step 2 of 3 (build)' })).toMatchObject({
    kind: 'progress',
    title: 'The agent says that step 2 of 3 (build) is finished; its checks are still to run',
  });
  expect(eventWords({ event: 'advance_refused', reason: 'docs/spec.md is missing' })).toMatchObject(
    { kind: 'trouble', title: 'The step is not finished yet', text: 'docs/spec.md is missing' },
  );
});
