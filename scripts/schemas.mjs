// The schemas from which types and validators are generated: `generate.ts` writes the types, `validators.mjs` the validators.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export const SCHEMAS = [
  { schema: 'state.schema.json', folder: 'src/state', name: 'state' },
  { schema: 'settings.schema.json', folder: 'src/settings', name: 'settings' },
  { schema: 'template.schema.json', folder: 'src/machine', name: 'template' },
  // What a run of a template keeps in its state file.
  {
    schema: 'state.schema.json',
    folder: 'src/machine',
    name: 'machine',
    parts: ['template', 'machine'],
  },
  // Only other programs read these events, so there is no validator.
  {
    schema: 'run-events.schema.json',
    folder: 'src/headless',
    name: 'event',
    isTypesOnly: true,
  },
];

/** The schema itself, or one of an object that has these definitions of it as its keys. */
export function readSchema({ schema, parts }) {
  const whole = JSON.parse(readFileSync(join(root, 'schemas', schema), 'utf8'));
  if (parts === undefined) return whole;
  const properties = parts.map((part) => [
    part,
    { $ref: `#/definitions/${part}` },
  ]);
  return {
    title: 'Parts',
    type: 'object',
    properties: Object.fromEntries(properties),
    definitions: whole.definitions,
  };
}
