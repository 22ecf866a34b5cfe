import { expect, test } from 'vitest';
import { inlineFiles } from '../../../src/guidance/sections.ts';
import type { ReadingState } from '../../../src/guidance/reading/reading-list.ts';

type Entry = [path: string, content: string | undefined, state?: ReadingState];

function inlined(maxChars: number, ...entries: Entry[]): string[] {
  const contents = new Map(entries.map(([path, content]) => [path, content]));
  const reading = entries.map(([path, , state = 'unread']) => ({ path, state }) as const);
  return inlineFiles(reading, (path) => contents.get(path), maxChars).map(({ id }) => id);
}

test('a file is given with its path, its content and its fence', () => {
  const reading = [{ path: '@a.md', state: 'unread' }] as const;
  expect(inlineFiles(reading, () => '```\n', 100)).toEqual([
    { id: '@a.md', title: '@a.md', content: '```\n', block: '````\n```\n````' },
  ]);
});

test('files are given in their order, while they fit', () => {
  expect(
    inlined(10, ['@z.md', 'zzzz'], ['@a.md', 'aaaa'], ['@m.md', 'mm'], ['@b.md', 'b']),
  ).toEqual(['@z.md', '@a.md', '@m.md']);
});

test('none is given in part: a large one is left out, and a smaller one after it still comes', () => {
  expect(inlined(10, ['@large.md', 'x'.repeat(11)], ['@whole.md', 'x'.repeat(10)])).toEqual([
    '@whole.md',
  ]);
});

test('if nothing fits, no file is read', () => {
  const asked: string[] = [];
  const reading = ['@a.md', '@b.md', '@c.md'].map((path) => ({ path, state: 'unread' }) as const);
  const contentOf = (path: string): string => {
    asked.push(path);
    return `ten ${path}.`;
  };
  expect(inlineFiles(reading, contentOf, 0)).toEqual([]);
  expect(asked).toEqual([]);
  expect(inlineFiles(reading, contentOf, 20)).toHaveLength(2);
  expect(asked).toEqual(['@a.md', '@b.md']);
});

test.each<[ReadingState, boolean]>([
  ['unread', true],
  ['changed', true],
  ['in_context', true],
  ['missing', false],
  ['outside', false],
  ['host', false],
])('a file that is %s is given: %s', (state, isGiven) => {
  expect(inlined(100, ['@a.md', 'text', state])).toEqual(isGiven ? ['@a.md'] : []);
});

test.each([
  ['is empty', ''],
  ['is blank', ' \n\t\r\n'],
  ['cannot be read', undefined],
])('a file that %s is passed over', (_, content) => {
  expect(inlined(100, ['@a.md', content], ['@b.md', 'text'])).toEqual(['@b.md']);
});
