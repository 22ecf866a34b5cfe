import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate } from '../../../src/text/conditions.ts';
import { repetitions } from '../../support/repetitions.ts';
import { anyCharacter } from '../../support/arbitraries.ts';

const state = { a: 1, b: 'x', c: { d: true, e: [0, 'y'] }, f: false };

/** What means the same here and in JavaScript: nothing missing, and order only between values of one kind. */
const number = fc.oneof(
  fc.integer({ min: -9, max: 9 }).map(String),
  fc.constant('state.a'),
);
const text = fc.oneof(
  fc.string({ maxLength: 4 }).map((value) => JSON.stringify(value)),
  fc.constantFrom("'x'", 'state.b', "state['c'].e[1]"),
);
const flag = fc.constantFrom('true', 'false', 'state.c.d', 'state.f');
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.oneof(number, text, flag),
    fc
      .tuple(number, fc.constantFrom('<', '<=', '>', '>='), number)
      .map((parts) => parts.join(' ')),
    fc
      .tuple(text, fc.constantFrom('<', '<=', '>', '>='), text)
      .map((parts) => parts.join(' ')),
    fc
      .tuple(
        fc.oneof(number, text, flag),
        fc.constantFrom('==', '!=', '===', '!=='),
        fc.oneof(number, text, flag),
      )
      .map((parts) => parts.join('')),
    fc
      .tuple(tie('expression'), fc.constantFrom('&&', '||'), tie('expression'))
      .map((parts) => parts.join(' ')),
    tie('expression').map((inner) => `(${inner})`),
    tie('expression').map((inner) => `!(${inner})`),
  ),
}));

test('an expression in the common subset means the same as in JavaScript', () => {
  fc.assert(
    fc.property(expression, (source) => {
      fc.pre(source.length <= 2000);
      // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
      const byJavaScript: unknown = new Function('state', `return ${source};`)(
        state,
      );
      expect(evaluate(source, state)).toEqual({
        kind: 'value',
        value: Boolean(byJavaScript),
      });
    }),
    { numRuns: repetitions(1000) },
  );
});

const piece = fc.constantFrom(
  ...[
    'state',
    '.',
    'a',
    '[',
    ']',
    '(',
    ')',
    '!',
    '==',
    '===',
    '<',
    '&&',
    '||',
    "'",
    '"',
    '\\',
  ],
  ...[
    'constructor',
    '__proto__',
    'prototype',
    '`',
    '=>',
    '=',
    '1',
    '-',
    'null',
    ' ',
    '\n',
    'ä',
  ],
);

/** Detects every look at a key that is not its own, and every call or change. */
function guarded(): object {
  return new Proxy(Object.assign(Object.create(null), { a: 1 }), {
    get: () => {
      throw new Error('looked up');
    },
    getPrototypeOf: () => {
      throw new Error('prototype');
    },
    set: () => {
      throw new Error('changed');
    },
  });
}

test('any text is answered, and prototypes are never touched', () => {
  const source = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    fc.string({ unit: anyCharacter }),
  );
  fc.assert(
    fc.property(source, (written) =>
      [guarded(), state, null].every((run) =>
        /value|bad/.test(evaluate(written, run).kind),
      ),
    ),
    { numRuns: repetitions(60) },
  );
});
