import { expect, it } from 'vitest';
import { ProgressWatch } from '../../../../src/driver/step/progress-watch.ts';
import { stepAt, type StepAt } from '../../../../src/driver/step/step-at.ts';
import { makeProject } from '../../../support/project.ts';
import { change, createRun } from '../../../support/store.ts';
import { action, aTemplate } from '../../../support/templates.ts';
import { begun, contextIn } from '../../operations/support.ts';

function watched() {
  const project = makeProject({ 'src/a.ts': 'a' });
  const { store } = contextIn(project, null);
  const run = createRun(store, begun(aTemplate([action('plan'), action('ship')])));
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
  return { project, store, runId, at, watch, turns };
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
  const { watch, turns, at } = watched();
  turns(2);
  watch.beginStep();
  expect(turns(2)).toEqual([false, false]);
  expect(turns(2, { ...at, entry: 'another' })).toEqual([false, false]);
  expect(turns(1)).toEqual([false]);
});

it('does not take what holdfast itself writes for progress', () => {
  const { store, runId, turns } = watched();
  for (const note of ['one', 'two'])
    expect([
      turns(1),
      change(store, runId, (state) => ({ ...state, key_reminders: [note] })),
    ]).toMatchObject([[false], {}]);
  expect(turns(1)).toEqual([true]);
});
