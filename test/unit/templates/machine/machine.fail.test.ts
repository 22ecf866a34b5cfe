import { describe, expect, test } from 'vitest';
import type { WorkflowStateMachine } from '../../../../src/templates/machine/machine.ts';
import {
  action,
  aTemplate,
  loop,
  ralph,
  restarted,
  started,
  sub,
} from '../../../support/templates.ts';
import { saying } from '../../../support/failures.ts';

describe('a step that fails', () => {
  test('ends the run by default, with the reason', () => {
    const machine = started(aTemplate([action('a'), action('b')]));
    expect(machine.fail(' no access ')).toEqual({ outcome: 'abort' });
    expect(machine.getState()).toMatchObject({ status: 'failed', step: 'a', reason: 'no access' });
    expect(machine.getStatus()).toMatchObject({ status: 'failed', instructions: '', agent: null });
    expect(() => machine.advance()).toThrow(saying('"Feature" has failed (no access)'));
    expect(() => machine.fail('again')).toThrow(saying('has failed'));
    expect(() => machine.setTasks('items', [])).toThrow(saying('has failed'));
  });

  test('prints a reason of many lines in one', () => {
    const machine = started(aTemplate([action('a')]));
    machine.fail(`Error:\n${'x'.repeat(1_000)}`);
    expect(() => machine.advance()).toThrow(saying(/^"Feature" has failed \(Error: x+…\);/));
    expect(machine.getState().reason).toHaveLength(1_007);
  });

  test('with skip: the next step follows', () => {
    const machine = started(aTemplate([action('a', { on_fail: 'skip' }), action('b')]));
    expect(machine.fail('no need')).toEqual({ outcome: 'skip' });
    expect(machine.getState()).toMatchObject({ status: 'running', step: 'b' });
  });

  test('with skip, as the last one: the run is complete', () => {
    const machine = started(aTemplate([action('a', { on_fail: 'skip' })]));
    machine.fail('no need');
    expect(machine.getState().status).toBe('complete');
  });

  test('with retry: three more times, then the run ends', () => {
    const machine = started(aTemplate([action('a', { on_fail: 'retry' })]));
    const outcomes = [1, 2, 3, 4].map(() => machine.fail('flaky'));
    expect(outcomes).toEqual([
      { outcome: 'retry', attempt: 1, of: 3 },
      { outcome: 'retry', attempt: 2, of: 3 },
      { outcome: 'retry', attempt: 3, of: 3 },
      { outcome: 'abort', attempt: 3, of: 3 },
    ]);
    expect(machine.getState().status).toBe('failed');
  });

  test.each([0, 1, 5])('the template says how often: %i', (max_retries) => {
    const machine = started(aTemplate([action('a', { on_fail: 'retry' })], { max_retries }));
    let retries = 0;
    while (machine.fail('flaky').outcome === 'retry') retries += 1;
    expect(retries).toBe(max_retries);
  });

  test('a restart does not forget the retries, the next entry does', () => {
    const step = (id: string) => action(id, { on_fail: 'retry' });
    const machine = started(aTemplate([step('a'), step('b')], { max_retries: 1 }));
    machine.fail('flaky');
    expect(machine.getState().retries).toBe(1);
    expect(restarted(machine).fail('flaky').outcome).toBe('abort');
    machine.advance();
    expect(machine.getState().retries).toBeUndefined();
    expect(machine.fail('flaky')).toEqual({ outcome: 'retry', attempt: 1, of: 1 });
  });

  test('as a ralph step with skip is left altogether', () => {
    const machine = started(aTemplate([ralph('polish', 4, { on_fail: 'skip' }), action('b')]));
    machine.advance();
    machine.fail('worse');
    expect(machine.getState()).toMatchObject({ step: 'b', stepType: 'action' });
    expect(Object.keys(machine.getState())).not.toContain('ralphIteration');
  });

  test('as a ralph step with retry has the same iteration again', () => {
    const machine = started(aTemplate([ralph('polish', 4, { on_fail: 'retry' })]));
    machine.advance();
    machine.fail('worse');
    expect(machine.getState()).toMatchObject({ ralphIteration: 2, retries: 1 });
  });
});

describe('a sub-step that fails', () => {
  const items = (own: 'skip' | 'retry' | undefined, ofStep?: 'skip' | 'retry' | 'abort') => {
    const machine = started(
      aTemplate([loop('items', ofStep === undefined ? {} : { on_fail: ofStep }), action('end')], {
        loops: { items: [sub('write'), sub('review', own === undefined ? {} : { on_fail: own })] },
      }),
    );
    machine.setTasks('items', [{ title: 'A' }, { title: 'B' }]);
    machine.advance();
    return machine;
  };
  const statuses = (machine: ReturnType<typeof items>) =>
    machine.getState().tasks['items']?.map(({ status }) => status);

  test('with skip: the task failed, and the next one begins', () => {
    const machine = items('skip');
    machine.fail('hopeless');
    expect(statuses(machine)).toEqual(['failed', 'in_progress']);
    expect(machine.getState()).toMatchObject({ task: { index: 1, title: 'B' }, subStep: 'write' });
    machine.advance();
    machine.fail('hopeless');
    expect(statuses(machine)).toEqual(['failed', 'failed']);
    expect(machine.getState().step).toBe('end');
    expect(machine.getStatus().progress).toMatchObject({ completedTasks: 0, totalTasks: 2 });
  });

  test('with retry: the same sub-step of the same task', () => {
    const machine = items('retry');
    machine.fail('flaky');
    expect(machine.getState()).toMatchObject({ task: { title: 'A' }, subStep: 'review' });
  });

  test('that says nothing does as its step says', () => {
    expect(items(undefined, 'skip').fail('x').outcome).toBe('skip');
    expect(items(undefined, 'retry').fail('x').outcome).toBe('retry');
    expect(items(undefined).fail('x').outcome).toBe('abort');
    expect(items('skip', 'abort').fail('x').outcome).toBe('skip');
  });

  test('and ends the run leaves its task under way', () => {
    const machine = items(undefined);
    machine.fail('hopeless');
    expect(statuses(machine)).toEqual(['in_progress', 'pending']);
  });
});

describe('a loop that fails while it waits for its tasks', () => {
  const waiting = (on_fail: 'skip' | 'retry' | 'abort') =>
    started(
      aTemplate([loop('items', { on_fail }), action('end')], { loops: { items: [sub('write')] } }),
    );

  test('with skip is passed by', () => {
    const machine = waiting('skip');
    machine.fail('nothing found');
    expect(machine.getState().step).toBe('end');
  });

  test('with retry goes on waiting', () => {
    const machine = waiting('retry');
    expect(machine.fail('not yet')).toEqual({ outcome: 'retry', attempt: 1, of: 3 });
    expect(() => machine.advance()).toThrow(saying('needs the tasks of "items"'));
  });

  test('with abort ends the run, which waits again when it goes on', () => {
    const machine = waiting('abort');
    machine.fail('nothing found');
    expect(machine.getStatus().status).toBe('failed');
    machine.reopen();
    machine.setTasks('items', [{ title: 'A' }]);
    expect(machine.getState().task?.title).toBe('A');
  });
});

describe('a failed run that is opened again', () => {
  test('goes on at the same place, with all its retries', () => {
    const machine = started(
      aTemplate([loop('items', { on_fail: 'retry' })], {
        loops: { items: [sub('write'), sub('review')] },
        max_retries: 1,
      }),
    );
    machine.setTasks('items', [{ title: 'A' }]);
    machine.advance();
    const before = machine.getState();
    machine.fail('x');
    machine.fail('y');
    const again = restarted(machine);
    again.reopen();
    expect(again.getState()).toEqual(before);
    expect(again.fail('z')).toEqual({ outcome: 'retry', attempt: 1, of: 1 });
  });

  test('and is running already: nothing changes', () => {
    const machine = started(aTemplate([action('a', { on_fail: 'retry' })]));
    machine.fail('flaky');
    const before = machine.getState();
    machine.reopen();
    expect(machine.getState()).toEqual(before);
  });
});

describe('a gate stands against skipping', () => {
  const skipping = (gates: { step?: string; sub?: string }): WorkflowStateMachine => {
    const gate = gates.sub === undefined ? {} : { gate: gates.sub };
    const machine = started(
      aTemplate(
        [loop('items', gates.step === undefined ? {} : { gate: gates.step }), action('end')],
        { loops: { items: [sub('write', { on_fail: 'skip', ...gate })] } },
      ),
    );
    machine.setTasks('items', [{ title: 'A' }, { title: 'B' }]);
    return machine;
  };

  test('a task that fails is skipped, but the loop is not left past its gate', () => {
    const machine = skipping({ step: 'make all' });
    expect(machine.fail('x')).toEqual({ outcome: 'skip' });
    expect(machine.state).toMatchObject({ status: 'running', task: { title: 'B' } });
    expect(machine.fail('x')).toEqual({ outcome: 'abort', gated: true });
    expect(machine.state).toMatchObject({ status: 'failed', step: 'items', task: { title: 'B' } });
  });

  test('a task that is skipped at the gate of its sub-step is failed, not done', () => {
    const machine = skipping({ sub: 'make one' });
    machine.fail('x');
    expect(machine.fail('y')).toEqual({ outcome: 'skip' });
    expect(machine.state).toMatchObject({
      step: 'end',
      tasks: { items: [{ status: 'failed' }, { status: 'failed' }] },
    });
  });

  test('a loop that waits for tasks is not skipped past its gate', () => {
    const steps = [loop('items', { gate: 'make all', on_fail: 'skip' }), action('end')];
    const machine = started(aTemplate(steps, { loops: { items: [sub('write')] } }));
    expect(machine.fail('x')).toEqual({ outcome: 'abort', gated: true });
    expect(machine.state).toMatchObject({ status: 'failed', step: 'items' });
  });
});
