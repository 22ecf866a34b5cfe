import { expect, it } from 'vitest';
import { ProgressWatch } from '../../../../src/driver/step/progress-watch.ts';
import { stepAt, type StepAt } from '../../../../src/driver/step/step-at.ts';
import { failRun } from '../../../../src/operations/fail.ts';
import { machineOf, withMachine } from '../../../../src/workflow/template-run.ts';
import { makeProject } from '../../../support/project.ts';
import { change, createRun } from '../../../support/store.ts';
import { action, aTemplate } from '../../../support/templates.ts';
import { begun, contextIn } from '../../operations/support.ts';

function watched() {
  const project = makeProject({ 'src/a.ts': 'a' });
  const { store } = contextIn(project, null);
  const run = createRun(
    store,
    begun(aTemplate([{ ...action('plan'), on_fail: 'retry' }, action('ship')])),
  );
  const at = stepAt(run);
  if (at === null) throw new Error('no step');
  const { runId } = run;
  const watch = new ProgressWatch({
    root: project.root,
    runId,
    open: () => contextIn(project, null),
  });
  const turns = (count: number, where: StepAt = at): boolean[] =>
    Array.from({ length: count }, () => watch.isStuckAt(where));
  return { project, store, runId, at, turns };
}

it('notices the third turn in a row that changes nothing', () => {
  expect(watched().turns(4)).toEqual([false, false, true, true]);
});

it('counts again after a file was changed, added or removed', () => {
  const { project, turns } = watched();
  expect(turns(2)).toEqual([false, false]);
  project.write('src/a.ts', 'longer');
  expect(turns(2)).toEqual([false, false]);
  project.write('src/b.ts', 'b');
  expect(turns(3)).toEqual([false, false, true]);
});

it('counts again in the next step, and at another position of the same one', () => {
  const { turns, at, store, runId } = watched();
  expect(turns(2)).toEqual([false, false]);
  expect(turns(1, { ...at, entry: 'another' })).toEqual([false]);
  expect(turns(2)).toEqual([false, false]);
  const run = change(store, runId, (state) => {
    const machine = machineOf(state);
    machine?.advance();
    return machine === null ? state : withMachine(state, machine);
  });
  const ship = stepAt(run);
  if (ship === null) throw new Error('no step');
  expect(turns(1)).toEqual([false]);
  expect(turns(3, ship)).toEqual([false, false, true]);
});

it('does not take counters, reasons of failures or records of sessions for progress', () => {
  const { project, store, runId, turns } = watched();
  for (const session of ['one', 'two']) {
    expect(turns(1)).toEqual([false]);
    failRun(contextIn(project, session), runId, `no luck for ${session}`);
    change(store, runId, (state) => ({ ...state, requested_advance: { at: session } }));
  }
  expect(turns(1)).toEqual([true]);
});

it('takes what a turn adds to the run for progress', () => {
  const { store, runId, turns } = watched();
  for (const note of ['one', 'two', 'three']) {
    expect(turns(1)).toEqual([false]);
    change(store, runId, (state) => ({ ...state, key_reminders: [note] }));
  }
  expect(turns(3)).toEqual([false, false, true]);
});

it('leaves a run that has failed to its own reason', () => {
  const { project, runId, turns } = watched();
  expect(turns(2)).toEqual([false, false]);
  for (const _try of [1, 2, 3, 4]) failRun(contextIn(project, null), runId, 'broken');
  expect(turns(1)).toEqual([false]);
});
