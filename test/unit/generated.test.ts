import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../scripts/generate.ts';

it('generated types, embedded texts and the plugin are up to date; update them with `npm run generate`', async () => {
  for (const [path, content] of await generatedFiles()) {
    expect(
      readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'),
      path,
    ).toBe(content);
  }
});
