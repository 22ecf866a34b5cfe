import { describe, expect, test } from 'vitest';
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

describe('of JSON: its outermost entries', () => {
  test.each([
    [
      '{"name": "shop", "steps": [1, 2], "more": {"a": null}}',
      'name: "shop"\nsteps: [1,2]\nmore: {"a":null}',
    ],
    ['[{"id": 1}, 2]', '0: {"id":1}\n1: 2'],
    ['"text"', '"text"'],
  ])('%s', (text, summary) => {
    expect(summaryOf(text, 'json')).toBe(summary);
  });
});
