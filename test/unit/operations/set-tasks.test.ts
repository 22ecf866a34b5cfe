import { describe, expect, test } from 'vitest';
import { startRun } from '../../../src/operations/start.ts';
import { setLoopTasks } from '../../../src/operations/set-tasks.ts';
import type { Step } from '../../../src/workflow/template/template-types.generated.ts';
import { makeProject } from '../../support/project.ts';
import { createRun } from '../../support/store.ts';
import { action, aTemplate, loop, sub } from '../../support/templates.ts';
import { begun, deskIn, machineIn, stored, type TestDesk } from './support.ts';
import { saying } from '../../support/failures.ts';

function runOf(desk: TestDesk, steps: Step[]): string {
  const template = aTemplate(steps, { loops: { items: [sub('write')] } });
  return startRun(desk, begun(template), { switches: false, wanted: 'start' }).run.runId;
}

describe('tasks', () => {
  test('at the loop begin it, and the action before the first is asked for', () => {
    const desk = deskIn(makeProject());
    const runId = runOf(desk, [loop('items', { context: 'compact' })]);
    expect(setLoopTasks(desk, undefined, 'items', [{ title: 'A' }]).action).toBe('/compact');
    expect(stored(desk, runId).state.revision).toBe(2);
    expect(machineIn(desk, runId)).toMatchObject({ task: { title: 'A' } });
    expect(desk.store.journal(stored(desk, runId)).at(-1)).toMatchObject({
      event: 'tasks',
      loop: 'items',
      count: 1,
    });
  });

  test('before the loop ask for nothing', () => {
    const desk = deskIn(makeProject());
    const runId = runOf(desk, [action('plan'), loop('items', { context: 'compact' })]);
    expect(setLoopTasks(desk, undefined, 'items', [{ title: 'A' }]).action).toBeNull();
    expect(machineIn(desk, runId)).toMatchObject({ step: 'plan', tasks: { items: [{ id: '1' }] } });
  });

  test('that are none end a run whose last step waits for them', () => {
    const desk = deskIn(makeProject());
    const runId = runOf(desk, [loop('items')]);
    const { run } = setLoopTasks(desk, undefined, 'items', []);
    expect(run).toMatchObject({
      path: `untracked/workflow-archive/${runId}.json`,
      state: { status: 'completed', machine: { status: 'complete' } },
    });
    expect(desk.store.list().runs).toEqual([]);
  });

  test.each<[string, Step[]]>([
    ['waits', []],
    ['lies ahead', [action('plan')]],
  ])('that are none do not lead past a gate: the loop %s', (_where, before) => {
    const desk = deskIn(makeProject());
    const runId = runOf(desk, [...before, loop('items', { gate: 'false' }), action('end')]);
    const place = machineIn(desk, runId);
    expect(() => setLoopTasks(desk, undefined, 'items', [])).toThrow(
      saying('step "items" has a gate, so an empty list for "items" cannot skip it'),
    );
    expect(machineIn(desk, runId)).toEqual(place);
  });

  test('that are no more change nothing of a loop with a gate that goes on', () => {
    const desk = deskIn(makeProject());
    const runId = runOf(desk, [loop('items', { gate: 'false' }), action('end')]);
    setLoopTasks(desk, undefined, 'items', [{ title: 'A' }]);
    const place = machineIn(desk, runId);
    setLoopTasks(desk, undefined, 'items', []);
    expect(machineIn(desk, runId)).toEqual(place);
  });

  test('for a run without a template are refused', () => {
    const desk = deskIn(makeProject());
    createRun(desk.store);
    expect(() => setLoopTasks(desk, undefined, 'items', [])).toThrow(saying('has no template'));
  });
});
