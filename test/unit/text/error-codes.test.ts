import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src/text/error-codes.ts';

const SOURCES = new URL('../../../src/', import.meta.url).pathname;

/** Codes that are composed of parts: `${what}_from_agent`, `record_${why}`, `gate_${how}`. */
const COMPOSED = /_from_agent$|^record_|^gate_timed_out$/;

it('every error code that the reference lists is one that a command can give', () => {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const text = names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('error-codes.ts'))
    .map((name) => readFileSync(join(SOURCES, name), 'utf8'))
    .join('\n');
  const codes = Object.keys(ERROR_CODES).filter((code) => !COMPOSED.test(code));
  expect(codes.filter((code) => !text.includes(`'${code}'`))).toEqual([]);
});

it('every error code is explained in one sentence', () => {
  for (const [code, explanation] of Object.entries(ERROR_CODES))
    expect(explanation, code).toMatch(/^[`A-Z][^\n]+\.$|^git .+\.$/);
});
