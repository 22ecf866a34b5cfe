import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../scripts/generate.ts';

it('types, validators, embedded texts and the plugin are what `npm run generate` makes of their sources', async () => {
  for (const [path, content] of await generatedFiles()) {
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), path).toBe(content);
  }
});
