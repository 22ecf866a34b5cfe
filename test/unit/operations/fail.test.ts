import { describe, expect, test } from 'vitest';
import { startRun } from '../../../src/operations/start.ts';
import { failRun } from '../../../src/operations/fail.ts';
import type { OnFail, Step } from '../../../src/workflow/template/template-types.generated.ts';
import { makeProject } from '../../support/project.ts';
import { createRun } from '../../support/store.ts';
import { action, aTemplate } from '../../support/templates.ts';
import { begun, deskIn, machineIn, stored, type TestDesk } from './support.ts';

function runOf(desk: TestDesk, steps: Step[]): string {
  const template = aTemplate(steps, { max_retries: 1 });
  return startRun(desk, begun(template), { switches: false, wanted: 'start' }).run.runId;
}

const failing = (on_fail: OnFail): Step => action('plan', { on_fail });

describe('a step that fails', () => {
  test('is tried again as often as the template allows, then the run is given up', () => {
    const desk = deskIn(makeProject());
    const runId = runOf(desk, [failing('retry')]);
    expect(failRun(desk, undefined, 'no network').outcome).toEqual({
      outcome: 'retry',
      attempt: 1,
      of: 1,
    });
    expect(machineIn(desk, runId)).toMatchObject({ status: 'running', retries: 1 });
    const { outcome, run } = failRun(desk, undefined, 'no network still');
    expect(outcome).toEqual({ outcome: 'abort', attempt: 1, of: 1 });
    expect(run.path).toBe(stored(desk, runId).path);
    expect(stored(desk, runId).state).toMatchObject({
      status: 'failed',
      status_reason: 'no network still',
      phase: { status: 'blocked' },
    });
  });

  test('and is skipped leads to the next, whose action is asked for', () => {
    const desk = deskIn(makeProject());
    const runId = runOf(desk, [failing('skip'), action('end', { context: 'clear' })]);
    const { failed, action: asked } = failRun(desk, undefined, 'x');
    expect({ failed, asked }).toEqual({ failed: 'step 1 of 2 (plan)', asked: '/clear' });
    expect(machineIn(desk, runId)).toMatchObject({ step: 'end', contextActionExecuted: true });
  });

  test('and is skipped as the last one ends the run', () => {
    const desk = deskIn(makeProject());
    const runId = runOf(desk, [failing('skip')]);
    const { run, action: asked } = failRun(desk, undefined, 'x');
    expect(asked).toBeNull();
    expect(run).toMatchObject({
      path: `untracked/workflow-archive/${runId}.json`,
      state: { status: 'completed' },
    });
    expect(desk.store.list().runs).toEqual([]);
    expect(desk.store.journal(run).at(-1)).toMatchObject({
      event: 'failed',
      failed: 'step 1 of 1 (plan)',
      outcome: 'skip',
    });
  });

  test('is not skipped where it has a gate: the run is given up at it', () => {
    const desk = deskIn(makeProject());
    const gated = action('plan', { on_fail: 'skip', gate: 'false' });
    const runId = runOf(desk, [gated, action('end')]);
    expect(failRun(desk, undefined, 'x').outcome).toEqual({ outcome: 'abort', gated: true });
    expect(machineIn(desk, runId)).toMatchObject({ status: 'failed', step: 'plan', reason: 'x' });
  });

  test('without a template is a phase that is blocked', () => {
    const desk = deskIn(makeProject());
    createRun(desk.store);
    const { run, outcome, failed } = failRun(desk, undefined, 'no access');
    expect({ outcome, failed }).toEqual({ outcome: null, failed: 'phase 1/5 Design' });
    expect(run.state).toMatchObject({
      status: 'in_progress',
      status_reason: 'no access',
      phase: { status: 'blocked' },
    });
  });
});
