import { stepStatus } from '../../../src/guidance/step-status.ts';
import { describe, expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { startRun } from '../../../src/operations/start.ts';
import { failRun } from '../../../src/operations/fail.ts';
import { pivotRun } from '../../../src/operations/pivot.ts';
import type { Template } from '../../../src/workflow/template/template-types.generated.ts';
import { makeProject } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { action, aTemplate } from '../../support/templates.ts';
import { begun, contextIn, machineIn, stored, type TestContext } from './support.ts';
import { saying } from '../../support/failures.ts';

const FEEDBACK = 'Too dear.\nHalve it.';
const done = { artefacts: [] };

function runOf(context: TestContext, fields: Partial<Template> = {}): string {
  const steps = [action('plan'), action('code', { on_fail: 'skip' }), action('budget_review')];
  const template = aTemplate(steps, fields);
  return startRun(context, begun(template), { switches: false }).run.runId;
}

async function atReview(
  fields: Partial<Template> = {},
): Promise<{ context: TestContext; runId: string }> {
  const context = contextIn(makeProject());
  const runId = runOf(context, fields);
  await advanceRun(context, undefined, done);
  await advanceRun(context, undefined, done);
  return { context, runId };
}

const feedbackIn = (context: TestContext, runId: string): unknown =>
  stored(context, runId).state.feedback;
const isFinished = (context: TestContext, runId: string): boolean =>
  JSON.stringify(feedbackIn(context, runId)).includes('"finished":true');

describe('a pivot', () => {
  test('moves the run back and keeps the feedback whole, with where it came from', async () => {
    const { context, runId } = await atReview();
    const {
      left,
      tag,
      action: asked,
      run,
    } = pivotRun(context, undefined, 'plan', ` ${FEEDBACK}\n`);
    expect({ left, tag, asked }).toEqual({
      left: 'step 3 of 3 (budget_review)',
      tag: 'BUDGET_PIVOT_FEEDBACK',
      asked: null,
    });
    expect(feedbackIn(context, runId)).toEqual([
      {
        from: 'budget_review',
        to: 'plan',
        tag: 'BUDGET_PIVOT_FEEDBACK',
        text: FEEDBACK,
        at: NOW.toISOString(),
        session_id: 's1',
      },
    ]);
    expect(run.state.phase).toMatchObject({ current: 1, status: 'in_progress' });
    expect(context.store.journal(run).at(-1)).toMatchObject({
      event: 'pivoted',
      from: 'budget_review',
      to: 'plan',
      feedback: FEEDBACK,
    });
    expect(stepStatus(run.state)?.instructions).toBe(
      'Do plan.\n\n**[BUDGET_PIVOT_FEEDBACK]:** Too dear.\n> Halve it.\n' +
        'From step "budget_review" (2025-06-01 12:00 UTC), which sent the work back. Work done since then may have to be reverted.',
    );
  });

  test('asks for the action of its way, once', async () => {
    const { context, runId } = await atReview({
      transitions: [{ from: 'budget_review', to: 'plan', context: 'clear' }],
    });
    expect(pivotRun(context, undefined, 'plan', FEEDBACK).action).toBe('/clear');
    expect(machineIn(context, runId)).toMatchObject({ contextActionExecuted: true, preserved: [] });
  });

  test.each([[''], [' \n'], ['\u200B\u2060\u00AD'], ['\u3164\u2800\uFE0F']])(
    'with feedback that nobody can see is refused: %j',
    async (feedback) => {
      const { context, runId } = await atReview();
      const before = stored(context, runId);
      expect(() => pivotRun(context, undefined, 'plan', feedback)).toThrow(
        saying('the feedback is blank'),
      );
      expect(stored(context, runId)).toEqual(before);
    },
  );

  test('takes 200,000 characters of feedback, and no more', async () => {
    const { context, runId } = await atReview();
    expect(() => pivotRun(context, undefined, 'plan', 'x'.repeat(200_001))).toThrow(
      saying('invalid value of 200001 characters for --feedback'),
    );
    pivotRun(context, undefined, 'plan', 'x'.repeat(200_000));
    expect(feedbackIn(context, runId)).toMatchObject([{ text: 'x'.repeat(200_000) }]);
    const { instructions = '' } = stepStatus(stored(context, runId).state) ?? {};
    expect(instructions).toContain('192000 of 200000 characters are missing');
    expect(instructions.length).toBeLessThan(9_000);
  });

  test('is refused in a run without a template, which is told what to do', () => {
    const context = contextIn(makeProject());
    const { runId } = createRun(context.store);
    expect(() => pivotRun(context, undefined, 'plan', FEEDBACK)).toThrow(
      saying(`holdfast update ${runId} --phase`),
    );
  });
});

describe('feedback stays', () => {
  test('until its step is finished', async () => {
    const { context, runId } = await atReview();
    pivotRun(context, undefined, 'plan', FEEDBACK);
    expect(isFinished(context, runId)).toBe(false);
    await advanceRun(context, undefined, done);
    expect(isFinished(context, runId)).toBe(true);
    expect(stepStatus(stored(context, runId).state)?.instructions).toBe('Do code.');
  });

  test('until its step is skipped', async () => {
    const { context, runId } = await atReview();
    pivotRun(context, undefined, 'code', FEEDBACK);
    failRun(context, undefined, 'cannot');
    expect(isFinished(context, runId)).toBe(true);
  });

  test('while the run goes back further, and until it comes through again', async () => {
    const { context, runId } = await atReview();
    pivotRun(context, undefined, 'code', FEEDBACK);
    pivotRun(context, undefined, 'plan', 'The plan is at fault.');
    await advanceRun(context, undefined, done);
    const instructions = (): string => stepStatus(stored(context, runId).state)?.instructions ?? '';
    expect(instructions()).toContain('Halve it.');
    expect(instructions()).not.toContain('at fault');
    await advanceRun(context, undefined, done);
    expect(instructions()).toBe('Do budget_review.');
  });

  test('when the step it is for fails for good', async () => {
    const { context, runId } = await atReview();
    pivotRun(context, undefined, 'plan', FEEDBACK);
    failRun(context, undefined, 'cannot');
    expect(stored(context, runId).state.status).toBe('failed');
    expect(isFinished(context, runId)).toBe(false);
  });
});

describe('a run that goes in circles', () => {
  test('is blocked when it would be sent back too often, and goes on with an advance', async () => {
    const { context, runId } = await atReview({ max_pivots: 1 });
    pivotRun(context, undefined, 'plan', FEEDBACK);
    await advanceRun(context, undefined, done);
    const before = stored(context, runId).state;
    expect(() => pivotRun(context, undefined, 'plan', 'Again.')).toThrow(
      expect.objectContaining({ code: 'too_many_pivots' }),
    );
    const run = stored(context, runId);
    expect(run.state).toEqual({
      ...before,
      phase: { ...before.phase, status: 'blocked' },
      revision: (before.revision ?? 0) + 1,
      updated_at: expect.any(String),
    });
    expect(context.store.journal(run).at(-1)).toMatchObject({
      event: 'pivot_refused',
      feedback: 'Again.',
    });
    await advanceRun(context, undefined, done);
    expect(stored(context, runId).state.phase.status).toBe('in_progress');
  });
});
