import { expect, it } from 'vitest';
import { momentNow, runNow } from '../../../../src/driver/step/run-moment.ts';
import { completeRun } from '../../../../src/operations/complete.ts';
import { withRequest } from '../../../../src/operations/requested-advance.ts';
import { machineOf, withMachine } from '../../../../src/workflow/template-run.ts';
import { makeProject } from '../../../support/project.ts';
import { NOW } from '../../../support/runs.ts';
import { change, createRun } from '../../../support/store.ts';
import { action, aTemplate } from '../../../support/templates.ts';
import { begun, contextIn } from '../../operations/support.ts';

function driven() {
  const project = makeProject();
  const here = contextIn(project, null);
  const run = createRun(here.store, begun(aTemplate([action('plan'), action('ship')])));
  const context = { runId: run.runId, open: () => contextIn(project, null) };
  return { project, here, run, context };
}

it('is read from the disk each time, so that it shows what an agent has changed', () => {
  const { here, run, context } = driven();
  const before = momentNow(context);
  expect(before).toMatchObject({ isMoveRequested: false });
  expect(runNow(context).at).toMatchObject({ step: 'plan', number: 1, total: 2, attempt: 1 });
  expect(momentNow(context)).toEqual(before);
  change(here.store, run.runId, (state) => {
    const machine = machineOf(state);
    machine?.advance();
    return machine === null ? state : withMachine(state, machine);
  });
  expect(runNow(context).at).toMatchObject({ step: 'ship', number: 2 });
  expect(momentNow(context).position).not.toBe(before.position);
});

it('shows that the agent wants to move, at this position only', () => {
  const { here, run, context } = driven();
  const request = { output: undefined, artefacts: [], force: false };
  change(here.store, run.runId, (state) =>
    withRequest({ ...run, state }, request, NOW.toISOString()),
  );
  expect(momentNow(context)).toMatchObject({ isMoveRequested: true });
  change(here.store, run.runId, (state) => {
    const machine = machineOf(state);
    machine?.advance();
    return machine === null ? state : withMachine(state, machine);
  });
  expect(momentNow(context)).toMatchObject({ isMoveRequested: false });
});

it('has no position once the run is over, archived or gone', () => {
  const { here, run, context } = driven();
  completeRun(here, run.runId, { purge: false });
  expect(runNow(context).at).toMatchObject({ isOver: true });
  expect(momentNow(context)).toEqual({ position: null, isMoveRequested: false });
  const gone = { ...context, runId: 'never-there' };
  expect(runNow(gone)).toEqual({ run: null, at: null });
  expect(momentNow(gone)).toEqual({ position: null, isMoveRequested: false });
});
