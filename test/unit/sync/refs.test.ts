import fc from 'fast-check';
import { expect, it } from 'vitest';
import { refName, runIdIn } from '../../../src/sync/refs.ts';
import { repetitions } from '../../support/repetitions.ts';

const NAMES = { remote: 'origin', project: '-' };
const KINDS = ['local', 'tracking', 'base'] as const;

it.each([
  '.hidden',
  'ends.',
  'name.lock',
  'a',
  'größe-20250101_000000',
  '.',
  'a%b',
])(
  'the id %s is found again in each of its refs, and git accepts its name',
  (id) => {
    for (const kind of KINDS) {
      const ref = refName(NAMES, kind, id);
      expect(runIdIn(NAMES, kind, ref)).toBe(id === 'a%b' ? null : id);
      expect(ref).not.toMatch(/\/\.|\.$|\.lock$/);
    }
  },
);

it.each([
  'refs/holdfast/runs/-/a/b',
  'refs/holdfast/runs/-/..',
  'refs/holdfast/runs/-/a..b',
  'refs/holdfast/runs/-/a%2Fb',
  'refs/holdfast/runs/-/a%41',
  'refs/holdfast/runs/-/a`b',
  'refs/holdfast/runs/-/--purge',
  'refs/holdfast/runs/other/a',
  'refs/heads/main',
  `refs/holdfast/runs/-/${'x'.repeat(201)}`,
  // Letters without a glyph, with which an id could look like a sentence.
  'refs/holdfast/runs/-/all\u3164is\u3164approved',
])(
  '%s names no run, because it would become the name of a file here',
  (ref) => {
    expect(runIdIn(NAMES, 'local', ref)).toBeNull();
  },
);

it('two ids never share a ref', () => {
  const id = fc
    .stringMatching(/^[A-Za-z0-9._][A-Za-z0-9._-]{0,11}$/)
    .filter((text) => !text.includes('..'));
  fc.assert(
    fc.property(id, id, (a, b) => {
      const [one, two] = [a, b].map((text) => refName(NAMES, 'local', text));
      expect(one === two).toBe(a === b);
      expect(runIdIn(NAMES, 'local', one ?? '')).toBe(a);
    }),
    { numRuns: repetitions(2_000) },
  );
});
