import { describe, expect, test } from 'vitest';
import { formatSize } from '../../../../src/text/relative-time.ts';
import { summarised } from '../../../../src/guidance/artifacts/load.ts';
import type { Artifact } from '../../../../src/guidance/artifacts/load-plain.ts';

const summaryOf = (text: string, type: Artifact['type'] = 'markdown'): string => {
  const loaded = summarised({ kind: 'text', text, size: 0, path: 'a' }, type);
  if (loaded.kind !== 'text') throw new Error(loaded.kind);
  expect(loaded).toMatchObject({
    path: 'a',
    size: Buffer.byteLength(loaded.text),
    note: 'a summary',
  });
  return loaded.text;
};

describe('of Markdown: its headings, each with the first line below it', () => {
  test('ignores code', () => {
    const text = [
      'Before all headings.',
      'And more.',
      '# Title',
      '',
      'First words.',
      'Second words.',
      '## Steps',
      '```sh',
      '# not a heading',
      '```',
      '- one',
      '- two',
      '## Empty',
      '### End',
      'Last.',
    ].join('\r\n');
    expect(summaryOf(text)).toBe(
      'Before all headings.\n# Title\nFirst words.\n## Steps\n- one\n## Empty\n### End\nLast.',
    );
  });

  test('recognises underlined headings', () => {
    expect(summaryOf('Title\n=====\nwords\n\nPart\n----\nmore\nnot this')).toBe(
      '# Title\nwords\n## Part\nmore',
    );
  });

  test('shortens long lines and long lists', () => {
    expect(summaryOf(`# ${'x'.repeat(500)}`)).toHaveLength(200);
    const many = Array.from({ length: 300 }, (_, index) => `# ${index}`).join('\n');
    expect(summaryOf(many).split('\n')).toHaveLength(201);
    expect(summaryOf(many)).toMatch(/# 199\n… and 100 more lines$/);
  });
});

describe('of JSON: its outermost entries', () => {
  test.each([
    [
      '{"name": "shop", "steps": [1, 2], "more": {"a": null}}',
      'name: "shop"\nsteps: [1,2]\nmore: {"a":null}',
    ],
    ['[{"id": 1}, 2]', '0: {"id":1}\n1: 2'],
    ['"text"', '"text"'],
    ['null', 'null'],
  ])('%s', (text, summary) => {
    expect(summaryOf(text, 'json')).toBe(summary);
  });

  test('long values are cut', () => {
    const text = JSON.stringify({ long: 'x'.repeat(1000), short: 1 });
    const [first, second] = summaryOf(text, 'json').split('\n');
    expect(first).toHaveLength(200);
    expect(second).toBe('short: 1');
  });
});

test('leaves other content unchanged', () => {
  expect(summarised({ kind: 'empty', path: 'a' }, 'json')).toEqual({ kind: 'empty', path: 'a' });
});

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 KB'],
  [999_499, '999 KB'],
  [999_500, '1.0 MB'],
  [5_240_000, '5.2 MB'],
])('%i bytes are %s', (bytes, words) => {
  expect(formatSize(bytes)).toBe(words);
});
