import { expect, test } from 'vitest';
import { summarised } from '../../../../src/guidance/artifacts/load.ts';

test.each([
  [
    '{"name": "shop", "steps": [1], "more": {"a": null}}',
    'name: "shop"\nsteps: [1]\nmore: {"a":null}',
  ],
  ['[{"id": 1}, 2]', '0: {"id":1}\n1: 2'],
])('the summary of JSON is its outermost entries: %s', (given, text) => {
  const loaded = { kind: 'text', text: given, size: 0, path: 'a' } as const;
  const size = Buffer.byteLength(text);
  expect(summarised(loaded, 'json')).toMatchObject({ text, size, path: 'a', note: 'a summary' });
});
