import { describe, expect, test } from 'vitest';
import { startRun } from '../../../src/operations/start.ts';
import { advanceRun } from '../../../src/operations/advance.ts';
import { failRun } from '../../../src/operations/fail.ts';
import { setLoopTasks } from '../../../src/operations/set-tasks.ts';
import { phaseStates } from '../../../src/workflow/run-view.ts';
import type { OnFail, Step } from '../../../src/workflow/template/template-types.generated.ts';
import { makeProject } from '../../support/project.ts';
import { createRun } from '../../support/store.ts';
import { action, aTemplate, loop, sub } from '../../support/templates.ts';
import { begun, contextIn, machineIn, stored, type TestContext } from './support.ts';

function runOf(context: TestContext, steps: Step[]): string {
  const template = aTemplate(steps, { max_retries: 1 });
  return startRun(context, begun(template), { switches: false }).run.runId;
}

const failing = (on_fail: OnFail): Step => action('plan', { on_fail });

describe('a step that fails', () => {
  test('is tried again as often as the template allows, then the run is given up', () => {
    const context = contextIn(makeProject());
    const runId = runOf(context, [failing('retry')]);
    expect(failRun(context, undefined, 'no network').outcome).toEqual({
      outcome: 'retry',
      attempt: 1,
      of: 1,
    });
    expect(machineIn(context, runId)).toMatchObject({ status: 'running', retries: 1 });
    const { outcome, run } = failRun(context, undefined, 'no network still');
    expect(outcome).toEqual({ outcome: 'abort', attempt: 1, of: 1 });
    expect(run.path).toBe(stored(context, runId).path);
    expect(stored(context, runId).state).toMatchObject({
      status: 'failed',
      status_reason: 'no network still',
      phase: { status: 'blocked' },
    });
  });

  test('and is skipped leads to the next, whose action is asked for', () => {
    const context = contextIn(makeProject());
    const runId = runOf(context, [failing('skip'), action('end', { context: 'clear' })]);
    const { failed, action: asked } = failRun(context, undefined, 'x');
    expect({ failed, asked }).toEqual({ failed: 'step 1 of 2 (plan)', asked: '/clear' });
    expect(machineIn(context, runId)).toMatchObject({ step: 'end', contextActionExecuted: true });
  });

  test('and is skipped as the last one ends the run', () => {
    const context = contextIn(makeProject());
    const runId = runOf(context, [failing('skip')]);
    const { run, action: asked } = failRun(context, undefined, 'x');
    expect(asked).toBeNull();
    expect(run).toMatchObject({
      path: `untracked/workflow-archive/${runId}.json`,
      state: { status: 'completed' },
    });
    expect(context.store.list().runs).toEqual([]);
    expect(context.store.journal(run).at(-1)).toMatchObject({
      event: 'failed',
      failed: 'step 1 of 1 (plan)',
      outcome: 'skip',
    });
  });

  test('in the last task of a loop leaves the loop finished, as in any other task', async () => {
    const context = contextIn(makeProject());
    const template = aTemplate([loop('build'), action('end')], {
      loops: { build: [sub('code', { on_fail: 'skip' })] },
    });
    const { runId } = startRun(context, begun(template), { switches: false }).run;
    setLoopTasks(context, undefined, 'build', [{ title: 'one' }, { title: 'two' }]);
    await advanceRun(context, undefined, { artefacts: [] });
    failRun(context, undefined, 'two is broken');
    const { state } = stored(context, runId);
    expect(machineIn(context, runId)).toMatchObject({
      step: 'end',
      tasks: { build: [{ status: 'done' }, { status: 'failed' }] },
    });
    expect(phaseStates(state)(1)).toBe('done');
    expect(state.skipped).toBeUndefined();
  });

  test('in the only task of a loop leaves the loop skipped', () => {
    const context = contextIn(makeProject());
    const template = aTemplate([loop('build'), action('end')], {
      loops: { build: [sub('code', { on_fail: 'skip' })] },
    });
    const { runId } = startRun(context, begun(template), { switches: false }).run;
    setLoopTasks(context, undefined, 'build', [{ title: 'one' }]);
    failRun(context, undefined, 'one is broken');
    expect(stored(context, runId).state.skipped).toEqual({ '1': 'one is broken' });
  });

  test('is not skipped where it has a gate: the run is given up at it', () => {
    const context = contextIn(makeProject());
    const gated = action('plan', { on_fail: 'skip', gate: 'false' });
    const runId = runOf(context, [gated, action('end')]);
    expect(failRun(context, undefined, 'x').outcome).toEqual({ outcome: 'abort', gated: true });
    expect(machineIn(context, runId)).toMatchObject({
      status: 'failed',
      step: 'plan',
      reason: 'x',
    });
  });

  test('without a template is a phase that is blocked', () => {
    const context = contextIn(makeProject());
    createRun(context.store);
    const { run, outcome, failed } = failRun(context, undefined, 'no access');
    expect({ outcome, failed }).toEqual({ outcome: null, failed: 'phase 1/5 Design' });
    expect(run.state).toMatchObject({
      status: 'in_progress',
      status_reason: 'no access',
      phase: { status: 'blocked' },
    });
  });
});
