import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  readTemplate,
  type TemplateReading,
} from '../../../src/templates/read-template.ts';
import { repetitions } from '../../support/repetitions.ts';
import { anyCharacter } from '../../support/arbitraries.ts';

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

/** Signs and words that mean something to YAML, so that chance makes more than plain words of them. */
const piece = fc.oneof(
  fc.constantFrom(
    ...'name steps extends loops id type action x 1 null "" \' "'.split(' '),
  ),
  fc.constantFrom(...'[ ] { } *a # | > << __proto__ ~'.split(' ')),
  fc.constantFrom(
    ': ',
    '\n',
    '\n  ',
    '\n  - ',
    '- ',
    '? ',
    ', ',
    '&a ',
    '!t ',
    '%YAML 1.1\n',
  ),
  fc.constantFrom('\t', '\r\n', '\uFEFF', '\0', '---\n', '...\n'),
);
const changed = fc
  .tuple(fc.nat(everyKey.length), fc.nat(20), piece)
  .map(
    ([at, length, other]) =>
      everyKey.slice(0, at) + other + everyKey.slice(at + length),
  );
const KEYS = [
  'name',
  'steps',
  'loops',
  'agents',
  'transitions',
  'critical_artifacts',
];
const anyValue = fc
  .tuple(fc.constantFrom(...KEYS), fc.jsonValue())
  .map(([key, value]) => {
    const steps = [{ id: 'c', type: 'action', instructions: 'd' }];
    return JSON.stringify({ name: 'a', description: 'b', steps, [key]: value });
  });

test.each<[string, fc.Arbitrary<string>, number]>([
  ['any text', fc.string({ unit: anyCharacter, maxLength: 200 }), 100],
  [
    'signs',
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    500,
  ],
  [
    'a prefix',
    fc.nat(everyKey.length).map((end) => everyKey.slice(0, end)),
    100,
  ],
  ['a template with anything in it', changed, 100],
  ['any value under any key', anyValue, 100],
])('whatever the text, it is answered: %s', (_what, text, runs) => {
  fc.assert(fc.property(text, expectAnswer), { numRuns: repetitions(runs) });
});

test('any good template comes back as it was written', () => {
  const filled = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => /\S/.test(text));
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
      expect(read(JSON.stringify(written, null, 1), 't.json')).toEqual(
        expected,
      );
    }),
    { numRuns: repetitions(40) },
  );
});
