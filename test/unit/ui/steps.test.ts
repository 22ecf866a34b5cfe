import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/state/types.ts';
import { stepDiagram } from '../../../src/ui/steps.ts';
import { startTemplateRun, withMachine } from '../../../src/templates/template-run.ts';
import { WorkflowStateMachine } from '../../../src/templates/machine/machine.ts';
import type { Template } from '../../../src/templates/template-types.generated.ts';
import { aPhase, aState, NOW } from '../../support/runs.ts';
import { action, approval, aTemplate, loop, ralph, sub } from '../../support/templates.ts';

describe('a run of phases', () => {
  const run = (fields: Partial<RunState> = {}): RunState =>
    aState({
      phase: aPhase({ current: 2, total: 4, name: 'Build' }),
      phases: ['Design', 'Build', 'Docs', 'Ship'],
      ...fields,
    });

  it('is drawn with the state of each phase, and why one was skipped', () => {
    const { steps } = stepDiagram(run({ skipped: { '1': 'known', '3': 'no guide' } }));
    expect(steps.map(({ title, state }) => `${title} ${state}`)).toEqual([
      'Design skipped',
      'Build current',
      'Docs skipped',
      'Ship open',
    ]);
    expect(steps[2]?.reason).toBe('no guide');
  });

  it('of a million phases is drawn around the current one', () => {
    const { steps, leftOut } = stepDiagram(
      aState({ phase: aPhase({ current: 500_000, total: 1_000_000, name: 'Now' }) }),
    );
    expect(steps).toHaveLength(300);
    expect(leftOut).toBe(999_700);
    expect(steps.find(({ state }) => state === 'current')).toMatchObject({
      n: 500_000,
      title: 'Now',
    });
  });
});

describe('a run of a template', () => {
  const template: Template = aTemplate(
    [
      action('plan', { gate: 'npm test', agent: 'planner', on_fail: 'retry' }),
      loop('build', { context: 'compact' }),
      ralph('polish', 3, { until: 'npm test' }),
      approval('ok', { on_reject: 'plan' }),
      action('ship', { when: 'state.context.go == true', artefacts: ['dist/app.js'] }),
    ],
    {
      agents: { planner: { description: 'plans' } },
      loops: { build: [sub('code'), sub('check', { gate: 'npm test', context: 'clear' })] },
      transitions: [{ from: 'polish', to: 'ok', context: 'clear' }],
    },
  );
  const begin = (): { machine: WorkflowStateMachine; state: () => RunState } => {
    const first = startTemplateRun(template, undefined, NOW);
    const machine = new WorkflowStateMachine(template, first);
    machine.start();
    return { machine, state: () => withMachine(first, machine) };
  };

  it('shows the iteration, the approval and a step that was passed by', () => {
    const { machine, state } = begin();
    machine.advance('');
    machine.setTasks('build', []);
    expect(stepDiagram(state()).steps[2]?.iteration).toBe(1);
    machine.advance('');
    expect(stepDiagram(state()).steps[2]?.iteration).toBe(2);
    machine.advance('');
    machine.advance('');
    expect(stepDiagram(state()).steps[3]?.state).toBe('waiting');
    machine.approve();
    expect(stepDiagram(state()).steps[4]?.state).toBe('passed');
  });

  it('whose state is broken is drawn by its phases', () => {
    const broken = { ...begin().state(), machine: { step: 'gone' } };
    expect(stepDiagram(broken).steps.map(({ step, title }) => [step, title])).toEqual(
      ['plan', 'build', 'polish', 'ok', 'ship'].map((name) => [null, name]),
    );
  });
});
