import { expect, test } from 'vitest';
import { boxesIn } from '../../../../src/guidance/todo/list.ts';

const textsIn = (text: string): string[] =>
  boxesIn(text).map((box) => box.text);

test('check boxes are numbered from the top, ticked ones included', () => {
  const items = boxesIn('# Todo\n\n- [x] design\n- [ ] build\n- [X] review\n');
  expect(items.map(({ n, text, done }) => [n, text, done])).toEqual([
    [1, 'design', true],
    [2, 'build', false],
    [3, 'review', true],
  ]);
});

test.each([
  ['any bullet', '- [ ] a\n* [ ] b\n+ [ ] c\n', ['a', 'b', 'c']],
  ['numbers', '1. [ ] a\n2) [x] b\n', ['a', 'b']],
  ['nested ones', '- [ ] a\n  - [ ] b\n    1. [ ] c\n', ['a', 'b', 'c']],
  ['quoted ones', '> - [ ] a\n> > - [ ] b\n', ['a', 'b']],
  ['CRLF and CR', '- [ ] a\r\n- [ ] b\r- [ ] c', ['a', 'b', 'c']],
  ['a BOM before the first', '\uFEFF- [ ] a\n', ['a']],
  ['a list below text', 'Tasks:\n- [ ] a\n', ['a']],
])('%s: an item', (_what, text, expected) => {
  expect(textsIn(text)).toEqual(expected);
});

test.each([
  ['a list item without a box', '- a\n'],
  ['a box without a list', '[ ] a\n'],
  ['a box without a text', '- [ ]\n- [ ] \n'],
  ['another mark in the box', '- [-] a\n- [] b\n- [xx] c\n'],
  ['a link', '- [x](https://example.org)\n'],
  ['a fence', '```\n- [ ] a\n```\n'],
  ['a fence without an end', '```\n- [ ] a\n'],
  ['indented code', 'a\n\n    - [ ] b\n'],
  ['a comment', '<!--\n- [ ] a\n-->\n'],
  ['a comment for its text', '- [ ] <!-- a -->\n'],
  ['a comment in its brackets', '- [<!-- a -->x] b\n'],
])('%s: no item', (_what, text) => {
  expect(textsIn(text)).toEqual([]);
});
