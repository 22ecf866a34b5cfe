import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tasksFrom } from '../../../src/machine/give-tasks.ts';
import { saying } from '../../support/failures.ts';
import { anyCharacter } from '../../support/arbitraries.ts';

const titles = (text: string): string[] =>
  tasksFrom(text).map(({ title }) => title);

describe('tasks as JSON', () => {
  test('are texts or objects', () => {
    const text =
      '["one", {"id": "b", "title": "two", "description": "more"}, {"title": "three", "status": "done"}]';
    expect(tasksFrom(text)).toEqual([
      { title: 'one' },
      { id: 'b', title: 'two', description: 'more' },
      { id: undefined, title: 'three', description: undefined, status: 'done' },
    ]);
  });

  test.each([
    ['["one", ', 'cannot read the list of tasks: '],
    ['[{"id": 1}]', 'entry 1 has no "title"'],
    [
      '["a", {"title": "b", "status": "bogus"}]',
      'the status of entry 2 is not pending, ',
    ],
    ['{"title": "a"}', 'it is not a JSON array'],
    ['{"title": "a"}\n{"title": "b"}', 'cannot read the list of tasks: '],
  ])('%j is refused', (text, message) => {
    expect(() => tasksFrom(text)).toThrow(saying(message));
  });
});

describe('tasks as lines', () => {
  test.each([
    [
      '- one\n* two\r\n+ three\r1. four\n2) five\n  - six\n\nseven\n',
      'one,two,three,four,five,six,seven',
    ],
    ['- [ ] one\n- [x] two\n[ ] three\n1. [X] four\n[x] five', 'one,three'],
    ['# Tasks\n\n- one\n\n### More\n#12 is open\n', 'one,#12 is open'],
    [
      'Tasks\n=====\n- one\n---\n* * *\n___\n- -v\n--- two',
      'Tasks,one,-v,--- two',
    ],
    ['[BUG] the page is empty', '[BUG] the page is empty'],
    ['{name} is not replaced', '{name} is not replaced'],
  ])('%j: %s', (text, expected) => {
    expect(titles(text).join(',')).toBe(expected);
  });

  test.each([
    '# Tasks\n',
    '#\n',
    '- [x] one\n- [X] two',
    '---',
    '- [ ]',
    '- [x]',
    '-',
  ])('%j has no open task, which is not a wish to skip the loop', (text) => {
    expect(() => tasksFrom(text)).toThrow(
      saying('none of its lines is an open task'),
    );
  });

  test('of any text have a title each, or the text is refused in words', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        try {
          for (const title of titles(text)) expect(title.trim()).not.toBe('');
        } catch (error) {
          expect(error).toMatchObject({ code: 'unreadable_tasks' });
        }
      }),
    );
  });
});

test.each(['', ' \n\t', '\uFEFF'])(
  'nothing at all, %j, is no list without tasks',
  (text) => {
    expect(() => tasksFrom(text)).toThrow(
      saying(/it is empty; .*`\[\]` is an empty list/),
    );
  },
);
