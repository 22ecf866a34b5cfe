import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellQuote } from '../../../src/text/shell-commands.ts';
import { repetitions } from '../../support/repetitions.ts';

const LETTERS = 'a / \' " $ ` \\ ; & | * ? ~ # ! ( ) \n ü'
  .split(' ')
  .concat(' ');

test('a text is one word to a shell, whatever is in it', () => {
  const text = fc
    .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 12 })
    .map((letters) => letters.join(''));
  const words = fc.array(text, { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(words, (given) => {
      const line = `printf '%s\\0' ${given.map(shellQuote).join(' ')}`;
      const { stdout } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
      expect(stdout.split('\0').slice(0, -1)).toEqual(given);
    }),
    { numRuns: repetitions(20) },
  );
});

test('a plain path stays readable, and nothing is a word too', () => {
  expect(shellQuote('/home/ann/.claude/x.cjs')).toBe('/home/ann/.claude/x.cjs');
  expect(shellQuote('')).toBe("''");
});
