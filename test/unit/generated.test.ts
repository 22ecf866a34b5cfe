import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { generatedFiles } from '../../scripts/generate.ts';
import { validatorFor } from '../../scripts/validators.mjs';
import stateSchema from '../../schemas/state.schema.json' with { type: 'json' };
import templateSchema from '../../schemas/template.schema.json' with { type: 'json' };

it('generated types, embedded texts and the plugin are up to date; update them with `npm run generate`', async () => {
  for (const [path, content] of await generatedFiles()) {
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), path).toBe(content);
  }
});

it('the validators are compiled without a warning', () => {
  const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {});
  for (const schema of [stateSchema, templateSchema])
    expect(validatorFor(schema)).toContain('export');
  expect(warnings).not.toHaveBeenCalled();
  warnings.mockRestore();
});

it('a schema that ajv finds unclear is an error', () => {
  const unclear = { properties: { a: { properties: { b: {} } } } };
  expect(() => validatorFor(unclear)).toThrow('strict mode');
});
