import { describe, expect, it } from 'vitest';
import { mergeHeads } from '../../../src/remote/merge-heads.ts';
import type { Snapshot } from '../../../src/remote/snapshot.ts';
import type { JsonObject } from '../../../src/util/json.ts';
import { Commits } from '../../support/machines.ts';
import { aState } from '../../support/runs.ts';

const RUN_ID = 'feature-20250501_080000';

function snapshot(context: JsonObject): Snapshot {
  return {
    state: aState({ context, run_id: RUN_ID, schema_version: 1 }),
    slug: 'feature',
    endedAt: null,
    machines: {},
    journals: {},
  };
}

/** Commits of one run with one fact after the other. */
function history() {
  const commits = new Commits();
  let seconds = 0;
  const write = (context: JsonObject, ...parents: string[]): string => {
    const at = new Date(Date.UTC(2025, 0, 1, 0, 0, (seconds += 1))).toISOString();
    return commits.write(snapshot(context), parents, at);
  };
  const facts = (commit: string | undefined): unknown =>
    commits.read(commit ?? '').snapshot.state.context;
  const merge = (...heads: string[]) => mergeHeads(commits, heads);
  return { commits, write, facts, merge };
}

describe('heads of a run', () => {
  it('no head is nothing, and one head is itself', () => {
    const { write, merge } = history();
    const only = write({ a: 1 });
    expect(merge()).toBeNull();
    expect(merge(only, only)).toEqual({ commit: only, conflicts: [] });
  });

  it('the one that continues the other makes no commit', () => {
    const { commits, write, merge } = history();
    const first = write({ a: 1 });
    const second = write({ a: 2 }, first);
    const count = commits.count;
    expect(merge(first, second)?.commit).toBe(second);
    expect(merge(second, first)?.commit).toBe(second);
    expect(commits.count).toBe(count);
  });

  it('two machines that merge them in any order make the same commit, which continues both', () => {
    const { commits, write, merge } = history();
    const base = write({ a: 1, b: 1 });
    const [one, two] = [write({ a: 2, b: 1 }, base), write({ a: 1, b: 2 }, base)];
    const merged = merge(one, two)?.commit ?? '';
    expect(merge(two, one)?.commit).toBe(merged);
    for (const head of [one, two]) expect(commits.continues(merged, head)).toBe(true);
  });

  it('without a common ancestor everything of both is kept', () => {
    const { write, facts, merge } = history();
    const merged = merge(write({ a: 1 }), write({ b: 1 }));
    expect(facts(merged?.commit)).toEqual({ a: 1, b: 1 });
  });

  it('where merges have crossed, what both had merged before is not a conflict', () => {
    const { write, facts, merge } = history();
    const base = write({ a: 0, b: 0 });
    const [a, b] = [write({ a: 1, b: 0 }, base), write({ a: 0, b: 1 }, base)];
    const [laterA, laterB] = [write({ a: 2, b: 0 }, a), write({ a: 0, b: 2 }, b)];
    const early = merge(a, b)?.commit ?? '';
    const late = merge(laterA, laterB)?.commit ?? '';
    const both = merge(early, late);
    expect(both?.conflicts).toEqual([]);
    expect(facts(both?.commit)).toEqual({ a: 2, b: 2 });
  });
});
