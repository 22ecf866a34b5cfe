import { describe, expect, test } from 'vitest';
import { action, aTemplate, loop, ralph, started, sub } from '../../../support/templates.ts';

describe('the status of', () => {
  test('an action step', () => {
    const machine = started(aTemplate([action('plan'), action('build')]));
    expect(machine.getStatus()).toEqual({
      status: 'running',
      step: 'plan',
      stepType: 'action',
      agent: null,
      delegate: false,
      instructions: 'Do plan.',
      progress: {
        currentStep: 1,
        totalSteps: 2,
        completedTasks: 0,
        totalTasks: 0,
        text: 'step 1 of 2 (plan)',
      },
      artefacts: {},
    });
  });

  test('a task', () => {
    const machine = started(
      aTemplate([action('plan'), loop('build'), action('end')], {
        loops: { build: [sub('write'), sub('review')] },
      }),
    );
    machine.setTasks(
      'build',
      ['A', 'B', 'C'].map((title) => ({ title })),
    );
    for (let i = 0; i < 4; i += 1) machine.advance();
    expect(machine.getStatus()).toMatchObject({
      task: { index: 1, id: '2', title: 'B' },
      subStep: 'review',
      instructions: 'Do review of B.',
      progress: {
        currentStep: 2,
        totalSteps: 3,
        completedTasks: 1,
        totalTasks: 3,
        text: 'step 2 of 3 (build), task 2 of 3 (B), sub-step review',
      },
    });
    machine.fail('stuck');
    expect(machine.getStatus().progress.text).toBe(
      'step 2 of 3 (build), task 2 of 3 (B), sub-step review, failed',
    );
  });

  test('an iteration', () => {
    const machine = started(aTemplate([ralph('polish', 4)]));
    machine.advance();
    expect(machine.getStatus()).toMatchObject({
      ralphIteration: 2,
      ralphTotal: 4,
      instructions: 'Improve polish.',
      progress: { text: 'step 1 of 1 (polish), iteration 2 of 4' },
    });
  });

  test('a loop that waits: what it waits for comes after its own instructions', () => {
    const sentence =
      'This step waits for its tasks: set them with `holdfast tasks items` or the tool workflow_set_tasks (loop_id "items").';
    const loops = { items: [sub('write')] };
    const bare = started(aTemplate([loop('items')], { loops })).getStatus();
    expect(bare.instructions).toBe(sentence);
    expect(bare.progress.text).toBe('step 1 of 1 (items), waiting for its tasks');
    const own = started(aTemplate([loop('items', { instructions: 'One by one.' })], { loops }));
    expect(own.getStatus().instructions).toBe(`One by one.\n\n${sentence}`);
  });

  test('a complete run', () => {
    const machine = started(aTemplate([ralph('polish', 1, { agent: 'helper' })]));
    machine.advance();
    const status = machine.getStatus();
    expect(status).toMatchObject({
      status: 'complete',
      instructions: '',
      agent: null,
      delegate: false,
      progress: { currentStep: 1, totalSteps: 1, text: '1 step, all finished' },
    });
    for (const key of ['task', 'subStep', 'ralphIteration', 'ralphTotal'])
      expect(Object.keys(status)).not.toContain(key);
  });
});

describe('the agent', () => {
  const of = (ofStep: string | undefined, ofSub: string | undefined) => {
    const machine = started(
      aTemplate([loop('items', ofStep === undefined ? {} : { agent: ofStep })], {
        loops: { items: [sub('write', ofSub === undefined ? {} : { agent: ofSub })] },
      }),
    );
    machine.setTasks('items', [{ title: 'A' }]);
    const { agent, delegate } = machine.getStatus();
    return { agent, delegate };
  };

  test.each([
    ['step', undefined, 'step'],
    ['step', 'sub', 'sub'],
    [undefined, 'sub', 'sub'],
    [undefined, undefined, null],
  ])('step %s, sub-step %s: %s', (ofStep, ofSub, agent) => {
    expect(of(ofStep, ofSub)).toEqual({ agent, delegate: agent !== null });
  });
});

describe('instructions', () => {
  const instructionsFor = (
    instructions: string,
    task: { id?: string; title: string; description?: string },
    own?: string,
  ): string => {
    const machine = started(
      aTemplate([loop('items', own === undefined ? {} : { instructions: own })], {
        loops: { items: [sub('write', { instructions })] },
      }),
    );
    machine.setTasks('items', [task]);
    return machine.getStatus().instructions;
  };

  test('name the task wherever they say so', () => {
    expect(
      instructionsFor('{task.id}: {task.title} ({task.title}), {task.description}', {
        id: 'T-1',
        title: 'Log in',
        description: 'with a password',
      }),
    ).toBe('T-1: Log in (Log in), with a password');
  });

  test('have nothing in the place of a description that is missing', () => {
    expect(instructionsFor('[{task.description}]', { title: 'A' })).toBe('[]');
  });

  test.each(['$&', '$1', '$$', '$`', '{task.id}', '{task.description}', '\\'])(
    'take %s in a title as it is',
    (title) => {
      expect(instructionsFor('Do {task.title}!', { title, description: 'never' })).toBe(
        `Do ${title}!`,
      );
    },
  );

  test('leave other braces alone', () => {
    expect(
      instructionsFor('{task} {task.Title} {{task.id}} {other}', { id: '7', title: 'A' }),
    ).toBe('{task} {task.Title} {7} {other}');
  });

  test('of the loop come before those of the sub-step', () => {
    expect(
      instructionsFor('Write {task.title}.', { title: 'A' }, 'For {task.title}, be brief.\n'),
    ).toBe('For A, be brief.\n\nWrite A.');
  });
});

test('a title of several lines or of great length does not upset the line of progress', () => {
  const machine = started(aTemplate([loop('items')], { loops: { items: [sub('write')] } }));
  machine.setTasks('items', [{ title: `One\n${'x'.repeat(300)}` }]);
  const { text } = machine.getStatus().progress;
  expect(text).toMatch(/^step 1 of 1 \(items\), task 1 of 1 \(One x+…\), sub-step write$/);
  expect(text.length).toBeLessThan(150);
});
