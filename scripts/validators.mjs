// Compiles the schemas of state files and templates into standalone validators, so that ajv itself is not bundled.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const VALIDATORS = [
  { schema: 'schemas/state.schema.json', file: 'src/state/state-validator.generated.js' },
  {
    schema: 'schemas/template.schema.json',
    file: 'src/templates/template-validator.generated.js',
  },
];

/**
 * Writes the validators that are missing or older than their schema or this script. The build calls it, and vitest as
 * a global set-up, so that the unit tests need no build.
 */
export default function writeValidators() {
  for (const { schema, file } of VALIDATORS) {
    const path = join(root, file);
    const sources = [join(root, schema), fileURLToPath(import.meta.url)];
    if (sources.every((source) => modifiedAt(source) < modifiedAt(path))) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, validatorFor(JSON.parse(readFileSync(join(root, schema), 'utf8'))));
  }
}

function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The source of a module that validates against the schema. Throws where ajv finds the schema unclear. */
export function validatorFor(schema) {
  const ajv = new Ajv({
    allErrors: true,
    strictTypes: true,
    strictTuples: true,
    // `artefacts: true` and a list of files mean different things; a type for each would only repeat the errors.
    allowUnionTypes: true,
    keywords: ['tsType'],
    code: { source: true, esm: true, lines: true },
  });
  return standalone.default(ajv, ajv.compile(schema));
}
