import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schemaErrors } from '../../../src/settings/settings.ts';
import { schema } from '../../../src/settings/settings-schema.generated.ts';
import { repetitions } from '../../support/repetitions.ts';

const path = new URL('../../../schemas/settings.schema.json', import.meta.url);
const byAjv = new Ajv({ allErrors: true, keywords: ['tsType'] }).compile(
  JSON.parse(readFileSync(path, 'utf8')),
);

/** Each error as `path keyword`, the way both can say it. */
function toldByAjv(value: unknown): string[] {
  if (byAjv(value)) return [];
  const errors = (byAjv.errors ?? []).map(({ instancePath, keyword, params }) => {
    const at = instancePath.split('/').slice(1);
    const { additionalProperty, missingProperty } = params;
    const key = [additionalProperty, missingProperty].filter((name) => name !== undefined);
    return `${[...at, ...key].join('/')} ${keyword}`;
  });
  return [...new Set(errors)].toSorted();
}

function told(value: unknown): string[] {
  const errors = schemaErrors(schema, value);
  return [...new Set(errors.map((error) => `${error.path.join('/')} ${error.keyword}`))].toSorted();
}

const WORDS =
  'offer full off block remind TODO.md ../x /etc a/**/b markdown skill summary session_start phase_start:';
const leaf = fc.oneof(
  fc.constantFrom(...WORDS.split(' '), ' ', 'a b', true),
  fc.constantFrom(0, 1, -1, 1.5, 2000, 8000, 8001, 6000, 1e9),
  fc.jsonValue({ maxDepth: 2 }),
);
const keys = fc.constantFrom(
  ...['detect', 'restore', 'reading', 'todo', 'critical_artifacts', '$schema', 'colour'],
  ...['local_file', 'plans', 'startup', 'max_chars', 'inline_chars', 'enforce', 'file'],
  ...['always_load', 'id', 'type', 'path', '__proto__', 'constructor'],
);
const artifact = fc.dictionary(
  fc.constantFrom(
    ...['id', 'type', 'path', 'path_from_state', 'command', 'description', 'required'],
    ...['condition', 'reload_triggers', 'load_strategy', 'colour'],
  ),
  fc.oneof(leaf, fc.array(leaf, { maxLength: 3 })),
);
const declaration = fc.record({
  critical_artifacts: fc.dictionary(
    fc.constantFrom('always_load', 'conditional_load', 'phase_specific', 'always'),
    fc.oneof(leaf, fc.array(fc.oneof(artifact, leaf), { maxLength: 3 })),
  ),
});
const { settings } = fc.letrec<{ settings: unknown }>((tie) => ({
  settings: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    fc.array(tie('settings'), { maxLength: 3 }),
    fc
      .array(fc.tuple(keys, tie('settings')), { maxLength: 5 })
      .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries)))),
  ),
}));

test('settings are judged as ajv judges them', () => {
  fc.assert(
    fc.property(fc.oneof(settings, declaration), (value) => {
      expect(told(value)).toEqual(toldByAjv(value));
    }),
    { numRuns: repetitions(500) },
  );
});
