import { expect, test } from 'vitest';
import { summarised } from '../../../../src/guidance/artifacts/prime.ts';

test.each([
  [
    '{"name": "shop", "steps": [1], "more": {"a": null}}',
    'name: "shop"\nsteps: [1]\nmore: {"a":null}',
  ],
  ['[{"id": 1}, 2]', '0: {"id":1}\n1: 2'],
])('the summary of JSON is its outermost entries: %s', (given, text) => {
  const loaded = { kind: 'text', text: given, path: 'a' } as const;
  expect(summarised(loaded, 'json')).toMatchObject({
    text,
    path: 'a',
    note: 'a summary',
  });
});
