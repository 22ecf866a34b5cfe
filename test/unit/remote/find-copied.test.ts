import { describe, expect, it } from 'vitest';
import { findCopied } from '../../../src/remote/find-copied.ts';
import type { Side } from '../../../src/remote/merge.ts';
import { aState } from '../../support/runs.ts';

function commit(name: string, journals: Record<string, string[]>): Side {
  const at = '2025-05-01T08:00:00.000Z';
  return {
    commit: name,
    at,
    snapshot: { state: aState(), slug: 'feature', endedAt: null, machines: {}, journals },
  };
}

/** The newest first. */
const HISTORY = [
  commit('third', { a: ['started', 'set'], b: ['advanced'], merge: ['conflict'] }),
  commit('edited by hand', { a: ['started', 'set'] }),
  commit('second', { a: ['started', 'set'] }),
  commit('first', { a: ['started'] }),
];

describe('the commit that a copy of a run continues', () => {
  it('has the most events of those that the copy knows all events of', () => {
    expect(findCopied(HISTORY, ['started', 'imported'])).toBe('first');
    expect(findCopied(HISTORY, ['advanced', 'set', 'started'])).toBe('third');
  });

  it('is the first of several with the same events', () => {
    expect(findCopied(HISTORY, ['started', 'set', 'imported'])).toBe('second');
  });

  it('is unknown if no commit has only events of the copy, or none at all', () => {
    expect(findCopied(HISTORY, ['set'])).toBeUndefined();
    expect(findCopied([commit('only', {})], ['started'])).toBeUndefined();
    expect(findCopied([], ['started'])).toBeUndefined();
  });
});
