import { describe, expect, test } from 'vitest';
import { getStatus } from '../../../src/operations/status.ts';
import { makeProject } from '../../support/project.ts';
import { heldBy } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { contextIn } from './support.ts';

const PLAN = 'CLAUDE/Plan/007-shop/PLAN.md';
const LOOK = { isLook: true, lastPrompted: null };

function noteFor(plan: string | null): string | null {
  const project = makeProject(plan === null ? {} : { [PLAN]: plan });
  const context = contextIn(project);
  const source = { kind: 'plan' as const, path: PLAN };
  createRun(context.store, { workflow: 'Shop', source, adopted: true, ...heldBy('s1') });
  return getStatus(context, undefined, LOOK).note;
}

describe('the note about the source of an edited run', () => {
  test('says that the plan is finished, and how to complete the run', () => {
    const note = noteFor('# Shop\n\nStatus: ✅ Completed\n\n## Phase 1: Build ✅\n');
    expect(note).toMatch(/says that the work is finished\. .*holdfast complete shop-/);
  });

  test('says that the plan is gone', () => {
    expect(noteFor(null)).toMatch(/is gone\. .*holdfast complete shop-/);
  });

  test('is left out while the plan declares the work', () => {
    expect(noteFor('# Shop\n\nStatus: 🔄 In Progress\n\n## Phase 1: Build 🔄\n')).toBeNull();
  });
});
