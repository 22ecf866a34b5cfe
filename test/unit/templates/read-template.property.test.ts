import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { jsonProblem } from '../../../src/text/strict-json.ts';
import { readTemplate, type TemplateReading } from '../../../src/templates/read-template.ts';
import { repetitions } from '../../support/repetitions.ts';

const everyKey = readFileSync(
  new URL('../../fixtures/templates/good/every-key.yaml', import.meta.url),
  'utf8',
);

const read = (text: string, file: string): TemplateReading =>
  readTemplate({ file, text }, (name) => ({ file: name, text: everyKey }));

function expectAnswer(text: string): void {
  for (const file of ['t.yaml', 't.json']) {
    const reading = read(text, file);
    if (reading.kind === 'template') continue;
    expect(reading.problems.length).toBeGreaterThan(0);
    expect(reading.problems.length).toBeLessThanOrEqual(20);
    for (const { line, message } of reading.problems) {
      expect(line).toBeGreaterThanOrEqual(1);
      expect(line).toBeLessThanOrEqual(
        Math.max(text.split('\n').length, everyKey.split('\n').length),
      );
      expect(message).not.toMatch(/[\u0000-\u001F]|undefined|\[object/);
    }
  }
}

/** Pieces that mean something to YAML, so that chance makes more than plain words of them. */
const piece = fc.constantFrom(
  ...[
    'name',
    'steps',
    'extends',
    'loops',
    'id',
    'type',
    'action',
    'x',
    '1',
    'null',
    '""',
    "'",
    '"',
  ],
  ...[
    ': ',
    '\n',
    '\n  ',
    '\n  - ',
    '- ',
    '? ',
    '[',
    ']',
    '{',
    '}',
    ', ',
    '&a ',
    '*a',
    '!t ',
    '#',
    '|',
  ],
  ...['>', '---\n', '...\n', '%YAML 1.1\n', '<<', '\t', '\r\n', '\uFEFF', '\0', '__proto__', '~'],
);

describe('whatever the text, it is answered', () => {
  test('any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), expectAnswer));
  });

  test('any sequence of signs', () => {
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(fc.property(text, expectAnswer), { numRuns: repetitions(500) });
  });

  test('any prefix of a template', () => {
    fc.assert(
      fc.property(fc.nat(everyKey.length), (end) => expectAnswer(everyKey.slice(0, end))),
      { numRuns: repetitions(100) },
    );
  });

  test('a template with anything in it somewhere', () => {
    const place = fc.tuple(fc.nat(everyKey.length), fc.nat(20), piece);
    fc.assert(
      fc.property(place, ([at, length, other]) =>
        expectAnswer(everyKey.slice(0, at) + other + everyKey.slice(at + length)),
      ),
      { numRuns: repetitions(100) },
    );
  });

  test('any value under any key', () => {
    const key = fc.constantFrom(
      'name',
      'steps',
      'loops',
      'agents',
      'transitions',
      'critical_artifacts',
    );
    const base = {
      name: 'a',
      description: 'b',
      steps: [{ id: 'c', type: 'action', instructions: 'd' }],
    };
    fc.assert(
      fc.property(key, fc.jsonValue(), (name, value) =>
        expectAnswer(JSON.stringify({ ...base, [name]: value })),
      ),
      { numRuns: repetitions(100) },
    );
  });
});

test('any good template comes back as it was written', () => {
  const filled = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => /\S/.test(text));
  const step = fc.record(
    {
      type: fc.constant('action'),
      instructions: filled,
      title: filled,
      gate: filled,
      on_fail: fc.constantFrom('retry', 'skip', 'abort'),
      context: fc.constantFrom('compact', 'clear'),
    },
    { requiredKeys: ['type', 'instructions'] },
  );
  const template = fc
    .tuple(filled, filled, fc.array(step, { minLength: 1, maxLength: 5 }))
    .map(([name, description, steps]) => ({
      name,
      description,
      steps: steps.map((fields, index) => ({ id: `s${index}`, ...fields })),
    }));
  fc.assert(
    fc.property(template, (written) => {
      const expected = { kind: 'template', template: written };
      expect(read(stringify(written), 't.yaml')).toEqual(expected);
      expect(read(JSON.stringify(written, null, 1), 't.json')).toEqual(expected);
    }),
  );
});

test('where JSON is cut off, the last line is named', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), (value, cut) => {
      const text = JSON.stringify([value], null, 1);
      const prefix = text.slice(0, cut % text.length);
      expect(jsonProblem(text)).toBeUndefined();
      expect(jsonProblem(prefix)?.line).toBe(prefix.split('\n').length);
    }),
  );
});

describe('where JSON goes wrong, that line is named', () => {
  test.each([
    ['{\n"a": }', 2],
    ['{\n"a": 1,\n}', 2],
    ['[1,\n2\n3]', 3],
    ['{\n"a" 1}', 2],
    ['{"a": 1\n"b": 2}', 2],
    ['[\n]]', 2],
    ['[\n}', 2],
    ['{}\n\nx', 3],
    ['[\n"a\tb"]', 2],
    ['[\n"\\x"]', 2],
    ['[\n01]', 2],
    ['[1,\n,2]', 2],
    ['{\n1: 2}', 2],
    ["{\n'a': 2}", 2],
  ])('%j: %i', (text, line) => {
    expect(jsonProblem(text)).toMatchObject({ line });
  });
});
