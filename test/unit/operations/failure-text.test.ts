import { describe, expect, test } from 'vitest';
import { phaseLines } from '../../../src/guidance/frame.ts';
import { summaryInstructions } from '../../../src/guidance/summary-instructions.ts';
import { advanceRun } from '../../../src/operations/advance.ts';
import { failRun } from '../../../src/operations/fail.ts';
import { pivotRun } from '../../../src/operations/pivot.ts';
import { resumeRun } from '../../../src/operations/resume.ts';
import { startRun } from '../../../src/operations/start.ts';
import { updateRun } from '../../../src/operations/update.ts';
import { saying } from '../../support/failures.ts';
import { makeProject } from '../../support/project.ts';
import { NO_EDITS } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { action, aTemplate } from '../../support/templates.ts';
import { begun, contextIn, stored } from './support.ts';

describe('what a phase failed with', () => {
  test('is told with the number of tries until the phase is left', async () => {
    const context = contextIn(makeProject());
    const { runId } = createRun(context.store);
    const lines = (): string[] => phaseLines(stored(context, runId).state);
    failRun(context, undefined, 'no database');
    expect(lines()).toEqual(['Phase: 1/5 - Design (blocked), failed once: no database']);
    expect(summaryInstructions(stored(context, runId).state)).toContain('failed once: no database');

    updateRun(context, undefined, { ...NO_EDITS, status: 'in_progress' }, {});
    expect(lines()).toEqual(['Phase: 1/5 - Design (in_progress), failed once: no database']);
    failRun(context, undefined, 'no network');
    expect(lines()).toEqual([
      'Phase: 1/5 - Design (blocked), failed 2 times, the last time: no network',
    ]);
    await advanceRun(context, undefined, { artefacts: [] });
    expect(lines()).toEqual(['Phase: 2/5 (in_progress)']);
    expect(stored(context, runId).state.failure).toBeUndefined();
  });

  test('names a step that is tried again, stopped and resumed', async () => {
    const context = contextIn(makeProject());
    const steps = [action('plan', { on_fail: 'retry' }), action('build')];
    const { runId } = startRun(context, begun(aTemplate(steps, { max_retries: 1 })), {
      switches: false,
    }).run;
    const lines = (): string[] => phaseLines(stored(context, runId).state);
    failRun(context, undefined, 'no network');
    expect(lines()).toEqual([
      'Phase: 1/2 - plan (in_progress), try 2 of 2; failed once: no network',
    ]);
    failRun(context, undefined, 'still none');
    resumeRun(context, runId, { force: false });
    expect(lines()).toEqual([
      'Phase: 1/2 - plan (in_progress), failed 2 times, the last time: still none',
    ]);
    await advanceRun(context, undefined, { artefacts: [] });
    expect(lines()).toEqual(['Phase: 2/2 - build (in_progress)']);
  });

  test('is not told of the last step once that is finished', async () => {
    const context = contextIn(makeProject());
    const template = aTemplate([action('plan', { on_fail: 'retry' })]);
    startRun(context, begun(template), { switches: false });
    failRun(context, undefined, 'no network');
    const { run } = await advanceRun(context, undefined, { artefacts: [] });
    expect(phaseLines(run.state)).toEqual(['Phase: 1/1 - plan (completed)']);
  });

  test('is the reason of a step that its template skips', () => {
    const context = contextIn(makeProject());
    const steps = [action('plan', { on_fail: 'skip' }), action('build')];
    const { runId } = startRun(context, begun(aTemplate(steps)), {
      switches: false,
    }).run;
    failRun(context, undefined, 'no network');
    expect(phaseLines(stored(context, runId).state)).toEqual([
      'Phase: 2/2 - build (in_progress)',
      'Skipped, not done: 1 - plan (no network)',
    ]);
  });

  test('is the status reason of a blocked run that was written by hand', () => {
    const context = contextIn(makeProject());
    const { runId } = createRun(context.store, {
      phase: { current: 1, total: 2, name: 'Build', status: 'blocked' },
      status_reason: 'waits for a key',
    });
    expect(phaseLines(stored(context, runId).state)).toEqual([
      'Phase: 1/2 - Build (blocked): waits for a key',
    ]);
  });

  test('is told beside the limit of pivots that blocks the run, until it moves on', async () => {
    const context = contextIn(makeProject());
    const steps = [action('plan'), action('build', { on_fail: 'retry' }), action('ship')];
    const { runId } = startRun(context, begun(aTemplate(steps, { max_pivots: 1 })), {
      switches: false,
    }).run;
    const lines = (): string[] => phaseLines(stored(context, runId).state);
    await advanceRun(context, undefined, { artefacts: [] });
    pivotRun(context, undefined, 'plan', 'x');
    await advanceRun(context, undefined, { artefacts: [] });
    failRun(context, undefined, 'no network');
    expect(() => pivotRun(context, undefined, 'plan', 'x')).toThrow(saying('sent back once'));
    expect(lines()).toEqual([
      'Phase: 2/3 - build (blocked): the work was sent back once, which is all that its template allows; it failed once: no network',
    ]);
    await advanceRun(context, undefined, { artefacts: [] });
    expect(lines()).toEqual(['Phase: 3/3 - ship (in_progress)']);
  });
});
