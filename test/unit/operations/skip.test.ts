import { describe, expect, test } from 'vitest';
import { summaryInstructions } from '../../../src/guidance/summary-instructions.ts';
import { advanceRun } from '../../../src/operations/advance.ts';
import { skipRun } from '../../../src/operations/skip.ts';
import { startRun } from '../../../src/operations/start.ts';
import { stepLabel } from '../../../src/workflow/run-view.ts';
import type { Step } from '../../../src/workflow/template/template-types.generated.ts';
import { saying } from '../../support/failures.ts';
import { makeProject } from '../../support/project.ts';
import { aPhase } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { action, aTemplate, loop, sub } from '../../support/templates.ts';
import { begun, contextIn, machineIn, stored, type TestContext } from './support.ts';

const phases = ['Design', 'Build', 'Docs', 'Ship'];

function phaseRun(context: TestContext): string {
  const phase = aPhase({ current: 1, total: 4, name: 'Design' });
  return createRun(context.store, { phases, phase }).runId;
}

function templateRun(context: TestContext, steps: Step[]): string {
  const template = aTemplate(steps, { loops: { build: [sub('code', { gate: 'true' })] } });
  return startRun(context, begun(template), { switches: false }).run.runId;
}

const skip = (context: TestContext, phase?: number): ReturnType<typeof skipRun> =>
  skipRun(context, undefined, { phase, reason: 'not needed' });

describe('a phase that is skipped', () => {
  test('is left for the next one, and counts as skipped, not as done', () => {
    const context = contextIn(makeProject());
    const runId = phaseRun(context);
    expect(skip(context).skipped).toBe('1/4 Design');
    const { state } = stored(context, runId);
    expect(state).toMatchObject({
      phase: { current: 2, name: 'Build', status: 'in_progress' },
      skipped: { '1': 'not needed' },
      adopted: true,
    });
    expect(state.sessions?.session_history?.[0]?.phases_completed).toBeUndefined();
    expect(summaryInstructions(state)).toContain('- Skipped, not done: 1 - Design (not needed)');
    expect(context.store.journal(stored(context, runId)).at(-1)).toMatchObject({
      event: 'skipped',
      reason: 'not needed',
    });
  });

  test('in advance is passed over when the run gets there', async () => {
    const context = contextIn(makeProject());
    const runId = phaseRun(context);
    skip(context, 2);
    skip(context, 3);
    expect(stored(context, runId).state.phase).toMatchObject({ current: 1 });
    await advanceRun(context, undefined, { artefacts: [] });
    expect(stored(context, runId).state).toMatchObject({
      phase: { current: 4, name: 'Ship' },
      skipped: { '2': 'not needed', '3': 'not needed' },
    });
  });

  test('as the last one ends the run without being done', () => {
    const context = contextIn(makeProject());
    phaseRun(context);
    skip(context, 2);
    skip(context, 3);
    skip(context, 4);
    const { run } = skip(context);
    expect(run.state).toMatchObject({ status: 'completed', phase: { status: 'not_started' } });
  });

  test.each([
    [5, 'there is no phase 5'],
    [1, 'phase 1 of .* is over: the run is in phase 2'],
  ])('must be ahead: %i', (phase, message) => {
    const context = contextIn(makeProject());
    phaseRun(context);
    skip(context);
    expect(() => skip(context, phase)).toThrow(saying(new RegExp(message)));
  });
});

describe('a step that is skipped', () => {
  test('is left as a whole, and pivoting back makes it count again', () => {
    const context = contextIn(makeProject());
    const runId = templateRun(context, [action('plan'), action('ship')]);
    skip(context);
    expect(machineIn(context, runId)).toMatchObject({ step: 'ship' });
    expect(stored(context, runId).state).toMatchObject({
      skipped: { '1': 'not needed' },
      phase: { current: 2 },
    });
  });

  test.each([
    ['its own gate', action('plan', { gate: 'true' })],
    ['a gate in its loop', loop('build')],
  ])('may not have %s', (_what, step) => {
    const context = contextIn(makeProject());
    const runId = templateRun(context, [step, action('ship')]);
    expect(() => skip(context)).toThrow(saying(/has a gate, so it/));
    expect(machineIn(context, runId)).toMatchObject({ step: step.id });
  });

  test('does not count as finished once the run is complete', async () => {
    const context = contextIn(makeProject());
    const steps = [action('plan'), action('docs', { when: 'false' }), action('ship')];
    templateRun(context, steps);
    skip(context);
    const { run } = await advanceRun(context, undefined, { artefacts: [] });
    expect(stepLabel(run.state)).toBe('3 steps, 1 finished, 1 skipped, 1 passed by');
  });

  test('as the last one does not count as finished either', async () => {
    const context = contextIn(makeProject());
    templateRun(context, [action('plan'), action('ship')]);
    await advanceRun(context, undefined, { artefacts: [] });
    expect(stepLabel(skip(context).run.state)).toBe('2 steps, 1 finished, 1 skipped');
  });

  test('must be the current one', () => {
    const context = contextIn(makeProject());
    templateRun(context, [action('plan'), action('ship')]);
    expect(() => skip(context, 2)).toThrow(saying(/cannot be skipped in advance/));
  });
});
