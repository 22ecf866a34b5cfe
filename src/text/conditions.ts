import { ownMember } from './json.ts';
import { quoted } from './sanitize.ts';

const MAX_CHARS = 2_000;
/** Deeper nesting would use up the stack. */
const MAX_DEPTH = 50;

/** `é1`, `$x`: as in JavaScript, letters of any language */
const NAME = /(?:[A-Za-z_$]|[^\0-\x7f\s])(?:[\w$]|[^\0-\x7f\s])*/;
/** `-1.5e3`, as in JSON */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
/** `'it\'s'`, `"a"` */
const TEXT = /(["'])(?:(?!\1|\\)[^\n]|\\["'\\])*\1/;
const OPERATOR = /[=!]==?|[<>]=?|&&|\|\|/;
/** Any other character by itself, so that it is met and refused. */
const ANYTHING = /\S/;
const TOKEN = new RegExp(
  [NAME, NUMBER, TEXT, OPERATOR, ANYTHING]
    .map((pattern) => pattern.source)
    .join('|'),
  'g',
);

/**
 * Whether a condition holds for a run. It is read here and nowhere run as code: it compares, combines and looks at
 * keys of `state`, which has to be named. As in JavaScript, except that what is missing is null, that `undefined` is
 * another word for null, and that `<` and its kin hold only between two numbers or two texts.
 */
export function evaluate(
  expression: string,
  state: unknown,
): { kind: 'value'; value: boolean } | { kind: 'bad'; why: string } {
  try {
    return { kind: 'value', value: Boolean(valueOf(expression, state)) };
  } catch (error) {
    if (!(error instanceof BadCondition)) throw error;
    return { kind: 'bad', why: error.message };
  }
}

/** Both sides of an operator are always evaluated, which has no effect, so that no mistake stays hidden. */
function valueOf(expression: string, state: unknown): unknown {
  if (expression.length > MAX_CHARS) throw new BadCondition('it is too long');
  const tokens = [...(expression.match(TOKEN) ?? []), END];
  let at = 0;
  let depth = 0;
  const next = (): string => tokens[at++] ?? END;
  const takes = (token: string): boolean =>
    tokens[at] === token && next() === token;
  const expect = (token: string): void => {
    if (!takes(token)) throw unexpected(next());
  };
  const binary = (level: number): unknown => {
    const operators = OPERATORS[level];
    if (operators === undefined) return unary();
    let value = binary(level + 1);
    for (;;) {
      const operation = operators.get(tokens[at] ?? END);
      if (operation === undefined) return value;
      at += 1;
      value = operation(value, binary(level + 1));
    }
  };
  const unary = (): unknown => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new BadCondition('it is nested too deeply');
    const value = takes('!') ? !unary() : members();
    depth -= 1;
    return value;
  };
  const members = (): unknown => {
    let value = primary();
    for (;;) {
      if (takes('.')) {
        const name = next();
        if (!/^[A-Za-z_$\u0080-\uffff]/.test(name)) throw unexpected(name);
        value = ownMember(value, permitted(name));
      } else if (takes('[')) {
        value = ownMember(value, permitted(String(literal(next()))));
        expect(']');
      } else {
        return value;
      }
    }
  };
  const primary = (): unknown => {
    if (takes('(')) {
      const value = binary(0);
      expect(')');
      return value;
    }
    return takes('state') ? state : literal(next());
  };
  const value = binary(0);
  expect(END);
  return value;
}

const END = '';
const MAX_TOKEN = 40;

class BadCondition extends Error {}

const unexpected = (token: string): BadCondition =>
  new BadCondition(
    token === END
      ? 'it ends too early'
      : `${quoted(token, MAX_TOKEN)} is not expected there`,
  );

/** A backslash is only for quotes and for itself. */
function literal(token: string): unknown {
  if (token === 'undefined') return null;
  if (/^(?:true|false|null|-?\d.*)$/.test(token)) return JSON.parse(token);
  if (!/^["']./.test(token)) throw unexpected(token);
  return token.slice(1, -1).replace(/\\(.)/g, '$1');
}

/** Refused even if the run has such a key of its own: a condition that uses one is a mistake or an attack. */
function permitted(key: string): string {
  if (/^(?:__proto__|constructor|prototype)$/.test(key)) throw unexpected(key);
  return key;
}

/** From the loosest to the tightest. */
const OPERATORS: readonly ReadonlyMap<
  string,
  (left: unknown, right: unknown) => unknown
>[] = [
  new Map([['||', (left, right) => left || right]]),
  new Map([['&&', (left, right) => left && right]]),
  new Map([
    ['===', (left, right) => left === right],
    ['!==', (left, right) => left !== right],
    ['==', isEqual],
    ['!=', (left, right) => !isEqual(left, right)],
  ]),
  new Map([
    ['<', (left, right) => order(left, right) < 0],
    ['<=', (left, right) => order(left, right) <= 0],
    ['>', (left, right) => order(left, right) > 0],
    ['>=', (left, right) => order(left, right) >= 0],
  ]),
];

/** Values of different kinds are compared as numbers; lists and objects equal only themselves. */
function isEqual(left: unknown, right: unknown): boolean {
  return (
    left === right ||
    (typeof left !== typeof right &&
      [left, right].every((value) => typeof value !== 'object') &&
      Number(left) === Number(right))
  );
}

function order(left: unknown, right: unknown): number {
  if (typeof left === 'string' && typeof right === 'string') {
    return left < right ? -1 : Number(left > right);
  }
  return typeof left === 'number' && typeof right === 'number'
    ? left - right
    : Number.NaN;
}
