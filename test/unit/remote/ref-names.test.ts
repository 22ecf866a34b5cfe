import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  baseRef,
  fetchRefspec,
  refFolders,
  runIdIn,
  runRef,
  trackingRef,
} from '../../../src/remote/ref-names.ts';
import { repetitions } from '../../support/repetitions.ts';

const folders = refFolders('origin', '-');

it('a run at the top of a repository has the ref that the contract names', () => {
  expect(runRef('-', 'user-auth-20261115_200550')).toBe(
    'refs/holdfast/runs/-/user-auth-20261115_200550',
  );
  expect(trackingRef('origin', '-', 'a')).toBe('refs/holdfast/remotes/origin/-/a');
});

it('runs are fetched without force, and only those of the project', () => {
  expect(fetchRefspec(refFolders('origin', '1f3a'))).toBe(
    'refs/holdfast/runs/1f3a/*:refs/holdfast/remotes/origin/1f3a/*',
  );
});

it.each(['.hidden', 'ends.', 'name.lock', 'a', 'größe-20250101_000000', '.', 'a%b'])(
  'the id %s is found again in each of its refs, and git accepts its name',
  (id) => {
    const found = id === 'a%b' ? null : id;
    expect(runIdIn(runRef('-', id), folders.runs)).toBe(found);
    expect(runIdIn(trackingRef('origin', '-', id), folders.tracking)).toBe(found);
    expect(runIdIn(baseRef('-', id), folders.bases)).toBe(found);
    expect(runRef('-', id)).not.toMatch(/\/\.|\.$|\.lock$/);
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
])('%s names no run, because it would become the name of a file here', (ref) => {
  expect(runIdIn(ref, folders.runs)).toBeNull();
});

it('two ids never share a ref', () => {
  const id = fc
    .stringMatching(/^[A-Za-z0-9._][A-Za-z0-9._-]{0,11}$/)
    .filter((text) => !text.includes('..'));
  fc.assert(
    fc.property(id, id, (a, b) => {
      expect(runRef('-', a) === runRef('-', b)).toBe(a === b);
      expect(runIdIn(runRef('-', a), folders.runs)).toBe(a);
    }),
    { numRuns: repetitions(2_000) },
  );
});
