import { expect, test } from 'vitest';
import { blocksOf, prints, unmarkedCommands } from '../support/doc-blocks.ts';

test('a page is read as scripts, dialogues, files and what is not run', () => {
  const page = [
    '<!-- setup\necho a\n-->',
    '<!-- in a session -->\n\n```sh\nholdfast status\n```',
    '```console\n$ one\nsays\n$ two\n```',
    '<!-- file: a/b.yaml -->\n\n```yaml\nx: 1\n```',
    '<!-- not run: needs the network -->\n\n```sh\ncurl x\n```',
    '```json\n{}\n```',
  ].join('\n\n');
  expect(blocksOf(page).map(({ line: _line, ...block }) => block)).toEqual([
    { kind: 'script', text: 'echo a', inSession: false },
    { kind: 'script', text: 'holdfast status', inSession: true },
    {
      kind: 'dialogue',
      inSession: false,
      turns: [
        { typed: 'one', printed: ['says'] },
        { typed: 'two', printed: [] },
      ],
    },
    { kind: 'file', path: 'a/b.yaml', text: 'x: 1' },
    { kind: 'unrun', text: 'curl x', reason: 'needs the network' },
  ]);
});

test('a command in a block of another language is found', () => {
  expect(unmarkedCommands('```\nholdfast status\n```\n\n```bash\n$ ls\n```')).toHaveLength(2);
  expect(unmarkedCommands('```json\n{"holdfast": 1}\n```')).toEqual([]);
});

test('an expected line is found whole, with … for anything', () => {
  const output = 'Started shop-20261115_090000.\n  Phase    1/3 Design';
  expect(prints(output, 'Started shop-….')).toBe(true);
  expect(prints(output, 'Phase 1/3 Design')).toBe(true);
  expect(prints(output, 'Phase 1/3')).toBe(false);
  expect(prints(output, 'Started (shop')).toBe(false);
});
