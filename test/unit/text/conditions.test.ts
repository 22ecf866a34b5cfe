import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../src/text/conditions.ts';

const state = JSON.parse(`{
  "phase": {"current": 2, "name": "Build", "done": false},
  "phases": ["Design", "Build"],
  "context": {"plan_id": "P-7", "empty": "", "zero": 0, "none": null, "my key": 1, "größe": "XL"},
  "__proto__": {"polluted": true}
}`);

const holds = (expression: string): boolean => {
  const result = evaluate(expression, state);
  if (result.kind === 'bad')
    throw new Error(`${expression}: ${JSON.stringify(result.why)}`);
  return result.value;
};

const whyBad = (expression: string): string => {
  const result = evaluate(expression, state);
  if (result.kind === 'value') throw new Error(`${expression} has a value`);
  return result.why;
};

describe('a condition holds or not', () => {
  test.each([
    // Operators, whose meaning is compared with JavaScript in the property test.
    ["state.phase.current == '2'", true],
    ["state.phase.current === '2'", false],
    // Values.
    ["state.phase.name === 'Build'", true],
    [String.raw`'it\'s' === "it's"`, true],
    [String.raw`"a\"b" === 'a"b'`, true],
    [String.raw`'a\"b' === 'a"b'`, true],
    [String.raw`'\\"' === "\\\""`, true],
    ['1e3 === 1000', true],
    ['null', false],
    ['undefined', false],
    ['0', false],
    ["''", false],
    ["'false'", true],
    ['state', true],
    // Members.
    ['state.phases.length === 2', true],
    ["state.context['my key'] === 1", true],
    ["state.context.größe === 'XL'", true],
    [" state . phase . name\n=== 'Build' ", true],
    // A missing key equals null.
    ['state.nothing == null', true],
    ['state.nothing === null', true],
    ['state.nothing === undefined', true],
    ['null === undefined', true],
    ['state.nothing.deeper.still === null', true],
    ['state.phases[7] === null', true],
    ['state.phase.name.length === null', true],
    ['state.context.zero == null', false],
    ['state.context.empty == null', false],
    ['state.nothing', false],
  ])('%s: %s', (expression, value) => {
    expect(holds(expression)).toBe(value);
  });
});

test('values of different kinds have no order', () => {
  for (const operator of ['<', '<=', '>', '>=']) {
    for (const pair of [
      `1 ${operator} '2'`,
      `null ${operator} 0`,
      `true ${operator} 0`,
    ]) {
      expect(holds(pair)).toBe(false);
    }
    expect(holds(`state.nothing ${operator} 1`)).toBe(false);
    expect(holds(`state.phases ${operator} state.phases`)).toBe(false);
  }
});

test('a list or an object equals only itself', () => {
  expect(holds('state.phase == state.phase')).toBe(true);
  expect(holds('state.phase == state.phases')).toBe(false);
  expect(holds("state.phases == 'Design,Build'")).toBe(false);
});

describe('a bad expression is reported', () => {
  test.each([
    ['', 'it ends too early'],
    ['state.', 'it ends too early'],
    ['true &&', 'it ends too early'],
    ['true)', '")" is not expected there'],
    ['state.phase.current > 1 extra', '"extra" is not expected there'],
    ['phase.current > 1', '"phase" is not expected there'],
    ['state.phase = 2', '"=" is not expected there'],
    ['state.phase.current + 1', '"+" is not expected there'],
    ['state.plan-id', '"-" is not expected there'],
    ['state.1', '"1" is not expected there'],
    ['state[phase]', '"phase" is not expected there'],
    ["'open", `"'" is not expected there`],
    ['true ? 1 : 2', '"?" is not expected there'],
    ['“x”', '"“x”" is not expected there'],
  ])('%j: %s', (expression, why) => {
    expect(whyBad(expression)).toBe(why);
  });
});

describe('a hostile expression is reported, and nothing runs', () => {
  test.each([
    "state['constructor']",
    String.raw`state['\u0063onstructor']`,
    'state.__proto__.polluted',
    "state['__proto__']",
    "state.constructor.constructor('return process')()",
    'state.phases.map(x)',
    'state()',
    'process.exit(1)',
    'new Date',
    '`${state}`',
    '(() => true)()',
    'state.phase.current++',
    'delete state.phase',
    '1 constructor 2',
    '/a+/.test("a")',
  ])('%s', (expression) => {
    expect(evaluate(expression, state).kind).toBe('bad');
  });

  test('inherited members are not keys of the run', () => {
    for (const name of [
      'toString',
      'hasOwnProperty',
      'valueOf',
      '__defineGetter__',
    ]) {
      expect(holds(`state.${name} === null`)).toBe(true);
      expect(holds(`state.phases.${name} === null`)).toBe(true);
    }
  });

  test.each([
    [
      'a million parentheses',
      `${'('.repeat(1e6)}1${')'.repeat(1e6)}`,
      'it is too long',
    ],
    ['a megabyte', `'${'x'.repeat(1e6)}'`, 'it is too long'],
    [
      'as deep as its length allows',
      `${'('.repeat(999)}1${')'.repeat(999)}`,
      'nested too deeply',
    ],
    ['a thousand negations', `${'!'.repeat(1000)}1`, 'nested too deeply'],
    [
      'a thousand open quotes',
      `'${String.raw`\'`.repeat(900)}`,
      'not expected',
    ],
  ])('%s is answered at once', (_what, expression, why) => {
    expect(whyBad(expression)).toContain(why);
  });

  test('expressions within the limits are parsed', () => {
    expect(holds(`${'('.repeat(49)}1${')'.repeat(49)}`)).toBe(true);
    expect(holds(Array.from({ length: 400 }, () => '1').join('&&'))).toBe(true);
    expect(holds(`'${'x'.repeat(1998)}'`)).toBe(true);
  });
});
