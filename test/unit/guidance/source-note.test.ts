import { expect, test } from 'vitest';
import { sourceNote } from '../../../src/guidance/source-note.ts';
import type { RunState } from '../../../src/state/types.ts';
import { aRun, aSaid, LOCAL_FILE, plan } from '../../support/runs.ts';

const PLAN = 'CLAUDE/Plan/00007-auth/PLAN.md';
const fromPlan: Partial<RunState> = { source: { kind: 'plan', path: PLAN } };
const fromLocal: Partial<RunState> = { source: { kind: 'local-file', path: LOCAL_FILE } };

test('a run that its source no longer declares is restored with a sentence that says so and how to complete it', () => {
  const adopted = aRun({ ...fromPlan, adopted: true });
  const finished = sourceNote(adopted, [plan(PLAN, { state: 'finished' })]);
  expect(finished).toContain(`Its plan ${PLAN} says that the work is finished.`);
  expect(finished).toContain(`holdfast complete ${adopted.runId}`);
  const movedTo = 'CLAUDE/Plan/Completed/00007-auth/PLAN.md';
  const moved = { kind: 'plan', path: PLAN, movedTo, reading: { state: 'finished' } } as const;
  expect(sourceNote(adopted, [moved])).toContain(
    `Its plan was moved to ${movedTo}, which says that the work is finished.`,
  );
  expect(sourceNote(adopted, [])).toContain(`Its plan ${PLAN} is gone.`);
  expect(sourceNote(aRun(fromLocal), [])).toContain(`${LOCAL_FILE} no longer declares`);
  expect(sourceNote(adopted, [plan(PLAN, aSaid())])).toBeNull();
});
