import { describe, expect, test } from 'vitest';
import {
  itemText,
  withItem,
  withTick,
} from '../../../../src/guidance/todo/file.ts';
import { boxesIn } from '../../../../src/guidance/todo/list.ts';

function ticked(text: string, n: number): string {
  const box = boxesIn(text).find((candidate) => candidate.n === n);
  if (box === undefined) throw new Error(`there is no item ${n}`);
  return withTick(text, box);
}

describe('an item is added', () => {
  test.each([
    ['to an empty file', '', '- [ ] new\n'],
    [
      'at the end, where there is none yet',
      '# Todo\n',
      '# Todo\n\n- [ ] new\n',
    ],
    [
      'after the last one',
      '- [x] a\n- [ ] b\n',
      '- [x] a\n- [ ] b\n- [ ] new\n',
    ],
    [
      'before what follows',
      '- [ ] a\n\n# Notes\n',
      '- [ ] a\n- [ ] new\n\n# Notes\n',
    ],
    [
      'with the line ends of the file',
      '- [ ] a\r\n- [ ] b',
      '- [ ] a\r\n- [ ] b\r\n- [ ] new',
    ],
    [
      'with the bullet of the list',
      '* [x] a\n\nEnd\n',
      '* [x] a\n* [ ] new\n\nEnd\n',
    ],
    [
      'with the next number',
      '9. [ ] a\n10. [ ] b\n',
      '9. [ ] a\n10. [ ] b\n11. [ ] new\n',
    ],
    [
      'into the quote that the list is in',
      '> - [ ] a\n\nb\n',
      '> - [ ] a\n> - [ ] new\n\nb\n',
    ],
    [
      'beside the items of the list, not among the parts of the last',
      '- [ ] a\n  - [ ] b\n    - [ ] c\n',
      '- [ ] a\n  - [ ] b\n    - [ ] c\n- [ ] new\n',
    ],
    [
      'below what belongs to the last item',
      '- [ ] a\n  more\n\n  ```\n  - [ ] code\n\n  ```\n\n  - note\nText\n',
      '- [ ] a\n  more\n\n  ```\n  - [ ] code\n\n  ```\n\n  - note\n- [ ] new\nText\n',
    ],
    [
      'before a comment, a rule, a fence or a list that follows at once',
      '- [ ] a\n<!--\n\n- [ ] b\n-->\n',
      '- [ ] a\n- [ ] new\n<!--\n\n- [ ] b\n-->\n',
    ],
  ])('%s', (_what, before, after) => {
    expect(withItem(before, 'new')).toBe(after);
  });

  test.each([
    ['a fence', '```\ncode\n'],
    ['a comment', '<!--\n\nnotes\n'],
  ])(
    'not where the file ends within %s: it would be no item',
    (_what, text) => {
      expect(withItem(text, 'new')).toBeNull();
    },
  );
});

describe('an item is ticked', () => {
  test('and nothing else is touched', () => {
    const text =
      '\uFEFF# Todo\r\n\r\n> 1. [ ] a [ ] b\r\n\ttext\r- [ ] c\n  - [x] d';
    expect(ticked(text, 1)).toBe(text.replace('1. [ ]', '1. [x]'));
    expect(ticked(text, 2)).toBe(text.replace('- [ ] c', '- [x] c'));
  });
});

describe('the text of an item', () => {
  test.each([
    ['  a  ', 'a'],
    ['a\nb\r\nc', 'a b c'],
    ['a\tb\u0000c\u001B[31m\u0085d\u2028e', 'a b c [31m d e'],
    ['[x] done?', '[x] done?'],
  ])('%j becomes one line', (given, text) => {
    expect(itemText(given)).toBe(text);
  });

  test.each(['', ' \n\t ', '\u0007', '<!-- nothing to see -->'])(
    '%j is blank',
    (given) => {
      expect(itemText(given)).toBeNull();
    },
  );
});
