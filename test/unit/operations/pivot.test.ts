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
import { begun, deskIn, machineIn, stored, type TestDesk } from './support.ts';
import { saying } from '../../support/failures.ts';

const FEEDBACK = 'Too dear.\nHalve it.';
const done = { artefacts: [] };

function runOf(desk: TestDesk, fields: Partial<Template> = {}): string {
  const steps = [action('plan'), action('code', { on_fail: 'skip' }), action('budget_review')];
  const template = aTemplate(steps, fields);
  return startRun(desk, begun(template), { switches: false, wanted: 'start' }).run.runId;
}

async function atReview(
  fields: Partial<Template> = {},
): Promise<{ desk: TestDesk; runId: string }> {
  const desk = deskIn(makeProject());
  const runId = runOf(desk, fields);
  await advanceRun(desk, undefined, done);
  await advanceRun(desk, undefined, done);
  return { desk, runId };
}

const feedbackIn = (desk: TestDesk, runId: string): unknown => stored(desk, runId).state.feedback;
const isFinished = (desk: TestDesk, runId: string): boolean =>
  JSON.stringify(feedbackIn(desk, runId)).includes('"finished":true');

describe('a pivot', () => {
  test('moves the run back and keeps the feedback whole, with where it came from', async () => {
    const { desk, runId } = await atReview();
    const { left, tag, action: asked, run } = pivotRun(desk, undefined, 'plan', ` ${FEEDBACK}\n`);
    expect({ left, tag, asked }).toEqual({
      left: 'step 3 of 3 (budget_review)',
      tag: 'BUDGET_PIVOT_FEEDBACK',
      asked: null,
    });
    expect(feedbackIn(desk, runId)).toEqual([
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
    expect(desk.store.journal(run).at(-1)).toMatchObject({
      event: 'pivoted',
      from: 'budget_review',
      to: 'plan',
      feedback: FEEDBACK,
    });
    expect(stepStatus(run.state)?.instructions).toBe(
      'Do plan.\n\n**[BUDGET_PIVOT_FEEDBACK]:** Too dear.\n> Halve it.\n' +
        'It comes from step "budget_review" (2025-06-01 12:00 UTC), which sent the work back: what was done since may have to be reverted.',
    );
  });

  test('asks for the action of its way, once', async () => {
    const { desk, runId } = await atReview({
      transitions: [{ from: 'budget_review', to: 'plan', context: 'clear' }],
    });
    expect(pivotRun(desk, undefined, 'plan', FEEDBACK).action).toBe('/clear');
    expect(machineIn(desk, runId)).toMatchObject({ contextActionExecuted: true, preserved: [] });
  });

  test.each([[''], [' \n'], ['\u200B\u2060\u00AD'], ['\u3164\u2800\uFE0F']])(
    'with feedback that nobody can see is refused: %j',
    async (feedback) => {
      const { desk, runId } = await atReview();
      const before = stored(desk, runId);
      expect(() => pivotRun(desk, undefined, 'plan', feedback)).toThrow(
        saying('the feedback is blank'),
      );
      expect(stored(desk, runId)).toEqual(before);
    },
  );

  test('takes 200,000 characters of feedback, and no more', async () => {
    const { desk, runId } = await atReview();
    expect(() => pivotRun(desk, undefined, 'plan', 'x'.repeat(200_001))).toThrow(
      saying('invalid value of 200001 characters for --feedback'),
    );
    pivotRun(desk, undefined, 'plan', 'x'.repeat(200_000));
    expect(feedbackIn(desk, runId)).toMatchObject([{ text: 'x'.repeat(200_000) }]);
    const { instructions = '' } = stepStatus(stored(desk, runId).state) ?? {};
    expect(instructions).toContain('192000 of 200000 characters are missing');
    expect(instructions.length).toBeLessThan(9_000);
  });

  test('is refused in a run without a template, which is told what to do', () => {
    const desk = deskIn(makeProject());
    createRun(desk.store);
    expect(() => pivotRun(desk, undefined, 'plan', FEEDBACK)).toThrow(
      saying('holdfast update --phase'),
    );
  });
});

describe('feedback stays', () => {
  test('until its step is finished', async () => {
    const { desk, runId } = await atReview();
    pivotRun(desk, undefined, 'plan', FEEDBACK);
    expect(isFinished(desk, runId)).toBe(false);
    await advanceRun(desk, undefined, done);
    expect(isFinished(desk, runId)).toBe(true);
    expect(stepStatus(stored(desk, runId).state)?.instructions).toBe('Do code.');
  });

  test('until its step is skipped', async () => {
    const { desk, runId } = await atReview();
    pivotRun(desk, undefined, 'code', FEEDBACK);
    failRun(desk, undefined, 'cannot');
    expect(isFinished(desk, runId)).toBe(true);
  });

  test('while the run goes back further, and until it comes through again', async () => {
    const { desk, runId } = await atReview();
    pivotRun(desk, undefined, 'code', FEEDBACK);
    pivotRun(desk, undefined, 'plan', 'The plan is at fault.');
    await advanceRun(desk, undefined, done);
    const instructions = (): string => stepStatus(stored(desk, runId).state)?.instructions ?? '';
    expect(instructions()).toContain('Halve it.');
    expect(instructions()).not.toContain('at fault');
    await advanceRun(desk, undefined, done);
    expect(instructions()).toBe('Do budget_review.');
  });

  test('when the step it is for fails for good', async () => {
    const { desk, runId } = await atReview();
    pivotRun(desk, undefined, 'plan', FEEDBACK);
    failRun(desk, undefined, 'cannot');
    expect(stored(desk, runId).state.status).toBe('failed');
    expect(isFinished(desk, runId)).toBe(false);
  });
});

describe('a run that goes in circles', () => {
  test('is blocked when it would be sent back too often, and goes on with an advance', async () => {
    const { desk, runId } = await atReview({ max_pivots: 1 });
    pivotRun(desk, undefined, 'plan', FEEDBACK);
    await advanceRun(desk, undefined, done);
    const before = stored(desk, runId).state;
    expect(() => pivotRun(desk, undefined, 'plan', 'Again.')).toThrow(
      expect.objectContaining({ code: 'too_many_pivots' }),
    );
    const run = stored(desk, runId);
    expect(run.state).toEqual({
      ...before,
      phase: { ...before.phase, status: 'blocked' },
      revision: (before.revision ?? 0) + 1,
      updated_at: expect.any(String),
    });
    expect(desk.store.journal(run).at(-1)).toMatchObject({
      event: 'pivot_refused',
      feedback: 'Again.',
    });
    await advanceRun(desk, undefined, done);
    expect(stored(desk, runId).state.phase.status).toBe('in_progress');
  });
});
