import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownMember, parseJson, parseJsonObject, sameJson } from '../../../src/text/json.ts';

test('the order of keys does not matter, the order of entries does', () => {
  expect(sameJson({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 })).toBe(true);
  expect(sameJson([1, 2], [2, 1])).toBe(false);
});

test('a key without a value is as good as none, null is a value', () => {
  expect(sameJson({ a: undefined }, {})).toBe(true);
  expect(sameJson({ a: null }, {})).toBe(false);
});

test.each([
  [[], {}],
  [{ a: 1 }, { b: 1 }],
  [{ a: 1 }, { a: 1, b: 2 }],
  ['1', 1],
  [null, undefined],
  [{ toString: 1 }, {}],
])('%j and %j differ', (a, b) => {
  expect(sameJson(a, b)).toBe(false);
  expect(sameJson(b, a)).toBe(false);
});

test('what was written and read again is the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(sameJson(a, JSON.parse(JSON.stringify(a)))).toBe(true);
      expect(sameJson(a, b)).toBe(sameJson(b, a));
      expect(sameJson([a], [a, b])).toBe(false);
    }),
  );
});

test('a member is what a value has itself, not what every object has', () => {
  const json: unknown = JSON.parse('{"a": 1, "none": null, "__proto__": "own"}');
  expect(ownMember(json, 'a')).toBe(1);
  expect(ownMember(json, '__proto__')).toBe('own');
  expect(ownMember(['x'], '0')).toBe('x');
  for (const key of ['none', 'b', 'toString', 'constructor'])
    expect(ownMember(json, key)).toBeNull();
  for (const value of [null, undefined, 'text', 7]) expect(ownMember(value, 'length')).toBeNull();
});

test.each(['', '{', '{"a": 1', 'text', 'undefined'])('%j is not JSON', (text) => {
  expect(parseJson(text)).toBeUndefined();
  expect(parseJsonObject(text)).toEqual({});
});

test('JSON of any depth is parsed', () => {
  const depth = 200_000;
  expect(parseJson('['.repeat(depth) + ']'.repeat(depth))).toBeDefined();
  expect(parseJson('['.repeat(depth))).toBeUndefined();
});
