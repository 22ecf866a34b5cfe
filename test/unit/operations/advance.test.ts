import { describe, expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { startRun } from '../../../src/operations/start.ts';
import { setLoopTasks } from '../../../src/operations/set-tasks.ts';
import type { RunState } from '../../../src/state/types.ts';
import { machineOf, withMachine } from '../../../src/workflow/template-run.ts';
import type { Step } from '../../../src/workflow/template/template-types.generated.ts';
import { trust } from '../../../src/workflow/gates/trust.ts';
import { makeProject } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import { change, createRun } from '../../support/store.ts';
import { action, aTemplate, loop, sub } from '../../support/templates.ts';
import { begun, contextIn, machineIn, stored, type TestContext } from './support.ts';
import { saying } from '../../support/failures.ts';

const nothing = { artefacts: [] };

function runOf(
  context: TestContext,
  steps: Step[],
  loops = { items: [sub('write'), sub('review')] },
) {
  const template = aTemplate(steps, { loops });
  const { run } = startRun(context, begun(template), { switches: false });
  return { runId: run.runId, template };
}

describe('advance', () => {
  test('finishes the step, keeps what it hands on, and mirrors the next one as the phase', async () => {
    const context = contextIn(makeProject());
    const { runId } = runOf(context, [action('plan'), action('build', { phase: 'Make it' })]);
    const done = await advanceRun(context, undefined, {
      output: 'see plan.md',
      artefacts: ['plan.md'],
    });
    expect(done).toMatchObject({ finished: 'step 1 of 2 (plan)', action: null });
    expect(stored(context, runId).state).toMatchObject({
      phase: { current: 2, total: 2, name: 'Make it', status: 'in_progress' },
      machine: {
        step: 'build',
        outputs: { plan: 'see plan.md' },
        artefacts: { plan: ['plan.md'] },
      },
    });
    expect(context.store.journal(done.run).at(-1)).toMatchObject({
      event: 'advanced',
      finished: 'step 1 of 2 (plan)',
      output: 'see plan.md',
    });
  });

  test('asks for the action of the next step in the same write', async () => {
    const context = contextIn(makeProject());
    const { runId } = runOf(context, [action('plan'), action('build', { context: 'clear' })]);
    const { action: asked } = await advanceRun(context, undefined, nothing);
    expect(asked).toBe('/clear');
    expect(stored(context, runId).state.revision).toBe(2);
    expect(machineIn(context, runId)).toMatchObject({
      contextActionExecuted: true,
      contextAction: { command: '/clear', requestedAt: NOW.toISOString() },
    });
  });

  test('counts a step as finished in the session only once the last of its tasks is', async () => {
    const context = contextIn(makeProject());
    const { runId } = runOf(context, [loop('items'), action('end')]);
    setLoopTasks(context, undefined, 'items', [{ title: 'A' }]);
    const finished = (): unknown =>
      stored(context, runId).state.sessions?.session_history?.[0]?.phases_completed;
    await advanceRun(context, undefined, nothing);
    expect(finished()).toBeUndefined();
    await advanceRun(context, undefined, nothing);
    expect(finished()).toEqual(['items']);
  });

  test('past the last step ends the run: its record and journal are in the archive', async () => {
    const project = makeProject();
    const context = contextIn(project);
    const { runId } = runOf(context, [action('only')]);
    const { run } = await advanceRun(context, undefined, { ...nothing, output: 'all done' });
    expect(run.path).toBe(`untracked/workflow-archive/${runId}.json`);
    expect(project.json(run.path)).toMatchObject({
      status: 'completed',
      phase: { current: 1, status: 'completed' },
      machine: { status: 'complete', outputs: { only: 'all done' } },
    });
    expect(context.store.list().runs).toEqual([]);
    expect(context.store.journal(run).map(({ event }) => event)).toEqual(['started', 'advanced']);
  });

  test('gives a phase no name where the template has one', async () => {
    const context = contextIn(makeProject());
    const { runId } = runOf(context, [action('plan'), action('build')]);
    const renaming = advanceRun(context, undefined, { ...nothing, nextName: 'Mine' });
    await expect(renaming).rejects.toMatchObject({ code: 'template_decides' });
    expect(machineIn(context, runId)).toMatchObject({ step: 'plan' });
  });

  test('takes an output of 200,000 characters, and no more', async () => {
    const context = contextIn(makeProject());
    const { runId } = runOf(context, [action('plan'), action('build')]);
    const long = 'x'.repeat(200_001);
    await expect(advanceRun(context, undefined, { ...nothing, output: long })).rejects.toThrow(
      saying('invalid value of 200001 characters for --output'),
    );
    expect(machineIn(context, runId)).toMatchObject({ step: 'plan' });
    await advanceRun(context, undefined, { ...nothing, output: long.slice(1) });
    expect(machineIn(context, runId)).toMatchObject({ outputs: { plan: long.slice(1) } });
  });

  test('of a run that is not active is refused', async () => {
    const context = contextIn(makeProject());
    const run = createRun(context.store, { status: 'paused' });
    await expect(advanceRun(context, run.runId, nothing)).rejects.toMatchObject({
      code: 'not_active',
      failure: { run: run.runId, status: 'paused', command: 'advance' },
    });
  });
});

test('a run is not moved for somebody who no longer waits', async () => {
  const context = contextIn(makeProject());
  const { runId } = runOf(context, [action('plan'), action('build')]);
  const signal = AbortSignal.abort();
  await expect(advanceRun({ ...context, signal }, undefined, nothing)).rejects.toMatchObject({
    code: 'cancelled',
    failure: { run: runId },
  });
  expect(machineIn(context, runId)).toMatchObject({ step: 'plan' });
});

describe('while a gate runs', () => {
  const pass = 'until test -e go; do sleep 0.02; done';

  function atGate(context: TestContext): string {
    const { runId, template } = runOf(context, [action('plan', { gate: pass }), action('build')]);
    trust(context, template, 'here', NOW);
    return runId;
  }

  function afterAdvance(state: RunState): RunState {
    const machine = machineOf(state);
    machine?.advance();
    return machine === null ? state : withMachine(state, machine);
  }

  test('nothing is locked, and what others write meanwhile is kept', async () => {
    const project = makeProject();
    const context = contextIn(project);
    const runId = atGate(context);
    const advancing = advanceRun(context, undefined, nothing);
    change(context.store, runId, (state) => ({ ...state, key_reminders: ['be brief'] }));
    project.write('go', '');
    await advancing;
    expect(stored(context, runId).state).toMatchObject({
      key_reminders: ['be brief'],
      machine: { step: 'build' },
    });
  });

  test.each<[string, (state: RunState) => RunState, string]>([
    ['moved on', (state) => afterAdvance(state), 'moved_meanwhile'],
    ['freed of its template', ({ template: _t, machine: _m, ...rest }) => rest, 'moved_meanwhile'],
    ['paused', (state) => ({ ...state, status: 'paused' }), 'not_active'],
  ])('a run that was %s by somebody else is not moved once more', async (_what, edit, code) => {
    const project = makeProject();
    const context = contextIn(project);
    const runId = atGate(context);
    const advancing = advanceRun(context, undefined, nothing);
    const edited = change(context.store, runId, edit);
    project.write('go', '');
    await expect(advancing).rejects.toMatchObject({ code });
    expect(stored(context, runId).state).toEqual(edited.state);
  });

  test('a caller may stop waiting: the gate is ended and the run stays where it is', async () => {
    const context = contextIn(makeProject());
    const runId = atGate(context);
    const before = stored(context, runId).state;
    const caller = new AbortController();
    const advancing = advanceRun({ ...context, signal: caller.signal }, undefined, nothing);
    caller.abort();
    await expect(advancing).rejects.toMatchObject({ code: 'gate_cancelled' });
    expect(stored(context, runId).state).toEqual(before);
  });

  test('of two that wait for the same gate only one moves the run', async () => {
    const project = makeProject();
    const context = contextIn(project);
    const { runId, template } = runOf(context, [loop('items', { gate: 'true' }), action('end')], {
      items: [sub('write', { gate: pass })],
    });
    trust(context, template, 'here', NOW);
    setLoopTasks(context, undefined, 'items', [{ title: 'A' }, { title: 'B' }]);
    const first = advanceRun(context, undefined, nothing);
    const second = advanceRun(context, undefined, nothing);
    project.write('go', '');
    const results = await Promise.allSettled([first, second]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(machineIn(context, runId)).toMatchObject({ task: { title: 'B' } });
  });
});
