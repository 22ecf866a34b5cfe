// Compiles the schemas into standalone validators, so that ajv itself is not bundled.
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { readSchema, SCHEMAS } from './schemas.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Writes the validators that are missing or older than what they are made from. The build calls it, and vitest as
 * a global set-up, so that the unit tests need no build.
 */
export default function writeValidators() {
  for (const target of SCHEMAS) {
    if (target.isTypesOnly) continue;
    const path = join(
      root,
      target.folder,
      `${target.name}-validator.generated.js`,
    );
    const sources = [
      join(root, 'schemas', target.schema),
      join(root, 'scripts/schemas.mjs'),
      fileURLToPath(import.meta.url),
    ];
    if (sources.every((source) => modifiedAt(source) < modifiedAt(path)))
      continue;
    writeFileSync(path, validatorFor(readSchema(target)));
  }
}

// `npm run generate` loads code that imports them, also in a clone that was never built.
if (process.argv[1] === fileURLToPath(import.meta.url)) writeValidators();

function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The source of a module that validates against the schema. Throws where ajv finds the schema unclear. */
function validatorFor(schema) {
  const ajv = new Ajv({
    allErrors: true,
    strictTypes: true,
    strictTuples: true,
    // `artefacts: true` and a list of files mean different things; a type for each would only repeat the errors.
    allowUnionTypes: true,
    keywords: ['tsType'],
    // src/settings/schema-error.ts says what is wrong, and one function a definition is a fifth shorter than a copy at each use.
    messages: false,
    inlineRefs: false,
    code: { source: true, esm: true, lines: true },
  });
  return standalone.default(ajv, ajv.compile(schema));
}
