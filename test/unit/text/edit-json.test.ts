import { describe, expect, test } from 'vitest';
import { appendItem, removeValue, replaceValue, setMember } from '../../../src/text/edit-json.ts';

describe('what is new looks like what is there', () => {
  test.each([
    [
      'two spaces',
      '{\n  "a": [\n    1\n  ]\n}\n',
      '{\n  "a": [\n    1,\n    {\n      "b": 2\n    }\n  ]\n}\n',
    ],
    [
      'tabs',
      '{\n\t"a": [\n\t\t1\n\t]\n}',
      '{\n\t"a": [\n\t\t1,\n\t\t{\n\t\t\t"b": 2\n\t\t}\n\t]\n}',
    ],
    [
      'four spaces, line ends of Windows and a byte order mark',
      '\uFEFF{\r\n    "a": [\r\n        1\r\n    ]\r\n}\r\n',
      '\uFEFF{\r\n    "a": [\r\n        1,\r\n        {\r\n            "b": 2\r\n        }\r\n    ]\r\n}\r\n',
    ],
    ['one line', '{"a":[1]}', '{"a":[1,{"b":2}]}'],
    ['one line with spaces', '{ "a": [1, 0] }', '{ "a": [1, 0, {"b":2}] }'],
    ['an empty list', '{\n  "a": []\n}', '{\n  "a": [\n    {\n      "b": 2\n    }\n  ]\n}'],
  ])('%s', (_what, before, after) => {
    expect(appendItem(before, ['a'], { b: 2 })).toBe(after);
  });

  test('a list on one line stays on one line, in whatever document', () => {
    expect(appendItem('{\n  "a": [1, 2]\n}', ['a'], 3)).toBe('{\n  "a": [1, 2, 3]\n}');
  });

  test('an empty file of settings is filled', () => {
    expect(setMember('{}\n', [], 'a', { b: 1 })).toBe('{\n  "a": {\n    "b": 1\n  }\n}\n');
  });
});

describe('what is taken out takes its comma along', () => {
  const text = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n';
  test.each([
    ['a', '{\n  "b": 2,\n  "c": 3\n}\n'],
    ['b', '{\n  "a": 1,\n  "c": 3\n}\n'],
    ['c', '{\n  "a": 1,\n  "b": 2\n}\n'],
  ])('%s', (key, left) => {
    expect(removeValue(text, [key])).toBe(left);
  });

  test('the only one leaves an empty container', () => {
    expect(removeValue('{\n  "a": [\n    1\n  ]\n}', ['a', 0])).toBe('{\n  "a": []\n}');
  });
});

test('a value is replaced where it stands', () => {
  expect(setMember('{"a":1,"b":2}', [], 'a', [3])).toBe('{"a":[3],"b":2}');
  expect(replaceValue('{\n  "a": [{ "b": 1 }],\n  "c": 2\n}', ['a', 0], 'x')).toBe(
    '{\n  "a": ["x"],\n  "c": 2\n}',
  );
});

test('what is not edited keeps its bytes, however it was written', () => {
  const text = '{"n": 1.50e+2, "s":"\\u00e4\\/",\t"l":[ ]  ,"hooks":{"A":[1]}}';
  expect(appendItem(text, ['hooks', 'A'], 2)).toBe(text.replace('[1]', '[1,2]'));
});

test('of a key that is there twice the last counts, as it does for the host', () => {
  const text = '{"hooks":{"A":[]},"hooks":{"B":[1]}}';
  expect(JSON.parse(appendItem(text, ['hooks', 'B'], 2))).toEqual({ hooks: { B: [1, 2] } });
  expect(JSON.parse(setMember(text, [], 'hooks', {}))).toEqual({ hooks: {} });
});

test.each([[['b']], [['a', 1]], [['a', 'length']], [['a', 0, 'x']]])(
  'a path that leads nowhere is an error: %j',
  (path) => {
    expect(() => removeValue('{"a":[1]}', path)).toThrow('there is nothing at');
  },
);
