import { describe, expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { pivotRun } from '../../../src/operations/pivot.ts';
import { startRun } from '../../../src/operations/start.ts';
import { setLoopTasks } from '../../../src/operations/set-tasks.ts';
import type { Step } from '../../../src/workflow/template/template-types.generated.ts';
import { phaseStates } from '../../../src/workflow/run-view.ts';
import { makeProject } from '../../support/project.ts';
import { createRun } from '../../support/store.ts';
import { action, aTemplate, loop, sub } from '../../support/templates.ts';
import { begun, contextIn, machineIn, stored, type TestContext } from './support.ts';
import { saying } from '../../support/failures.ts';

function runOf(context: TestContext, steps: Step[]): string {
  const template = aTemplate(steps, { loops: { items: [sub('write')] } });
  return startRun(context, begun(template), { switches: false }).run.runId;
}

describe('tasks', () => {
  test('at the loop begin it, and the action before the first is asked for', () => {
    const context = contextIn(makeProject());
    const runId = runOf(context, [loop('items', { context: 'compact' })]);
    expect(setLoopTasks(context, undefined, 'items', [{ title: 'A' }]).action).toBe('/compact');
    expect(stored(context, runId).state.revision).toBe(2);
    expect(machineIn(context, runId)).toMatchObject({ task: { title: 'A' } });
    expect(context.store.journal(stored(context, runId)).at(-1)).toMatchObject({
      event: 'tasks',
      loop: 'items',
      count: 1,
    });
  });

  test('before the loop ask for nothing', () => {
    const context = contextIn(makeProject());
    const runId = runOf(context, [action('plan'), loop('items', { context: 'compact' })]);
    expect(setLoopTasks(context, undefined, 'items', [{ title: 'A' }]).action).toBeNull();
    expect(machineIn(context, runId)).toMatchObject({
      step: 'plan',
      tasks: { items: [{ id: '1' }] },
    });
  });

  test('that are an empty list end a run whose last step waits for them', () => {
    const context = contextIn(makeProject());
    const runId = runOf(context, [loop('items')]);
    const { run } = setLoopTasks(context, undefined, 'items', []);
    expect(run).toMatchObject({
      path: `untracked/workflow-archive/${runId}.json`,
      state: {
        status: 'completed',
        phase: { status: 'not_started' },
        skipped: { '1': 'no tasks' },
        machine: { status: 'complete' },
      },
    });
    expect(context.store.list().runs).toEqual([]);
  });

  test('that are an empty list skip the loop, when it is reached, until the run goes back before it', async () => {
    const context = contextIn(makeProject());
    const runId = runOf(context, [action('plan'), loop('items'), action('end')]);
    setLoopTasks(context, undefined, 'items', []);
    expect(stored(context, runId).state.skipped).toBeUndefined();
    await advanceRun(context, undefined, { artefacts: [] });
    const { state } = stored(context, runId);
    expect(state).toMatchObject({ phase: { current: 3 }, skipped: { '2': 'no tasks' } });
    expect([1, 2, 3].map(phaseStates(state))).toEqual(['done', 'skipped', 'current']);
    pivotRun(context, undefined, 'plan', 'there are items now');
    expect(stored(context, runId).state.skipped).toBeUndefined();
  });

  test.each<[string, Step[]]>([
    ['waits', []],
    ['lies ahead', [action('plan')]],
  ])('that are an empty list do not lead past a gate: the loop %s', (_where, before) => {
    const context = contextIn(makeProject());
    const runId = runOf(context, [...before, loop('items', { gate: 'false' }), action('end')]);
    const place = machineIn(context, runId);
    expect(() => setLoopTasks(context, undefined, 'items', [])).toThrow(
      saying('step "items" has a gate, so an empty list for "items" cannot skip it'),
    );
    expect(machineIn(context, runId)).toEqual(place);
  });

  test('that are no more change nothing of a loop with a gate that goes on', () => {
    const context = contextIn(makeProject());
    const runId = runOf(context, [loop('items', { gate: 'false' }), action('end')]);
    setLoopTasks(context, undefined, 'items', [{ title: 'A' }]);
    const place = machineIn(context, runId);
    setLoopTasks(context, undefined, 'items', []);
    expect(machineIn(context, runId)).toEqual(place);
  });

  test('for a run without a template are refused', () => {
    const context = contextIn(makeProject());
    createRun(context.store);
    expect(() => setLoopTasks(context, undefined, 'items', [])).toThrow(saying('has no template'));
  });
});
