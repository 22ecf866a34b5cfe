import { describe, expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { cancelRun } from '../../../src/operations/cancel.ts';
import { completeRun } from '../../../src/operations/complete.ts';
import { pauseRun } from '../../../src/operations/pause.ts';
import { reopenRun } from '../../../src/operations/reopen.ts';
import { resumeRun } from '../../../src/operations/resume.ts';
import { skipRun } from '../../../src/operations/skip.ts';
import { startRun } from '../../../src/operations/start.ts';
import { runToRead } from '../../../src/operations/target-run.ts';
import { updateRun } from '../../../src/operations/update.ts';
import { holderOf } from '../../../src/sessions/holder.ts';
import { saying } from '../../support/failures.ts';
import { makeProject } from '../../support/project.ts';
import { aPhase, NO_EDITS } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { action, aTemplate } from '../../support/templates.ts';
import { begun, contextIn, stored } from './support.ts';

const PHASES = ['Design', 'Build', 'Review'];

function withRun(session: string | null = 's1') {
  const context = contextIn(makeProject(), session);
  const phase = aPhase({ current: 3, total: 3, name: 'Review' });
  const { runId } = createRun(context.store, { workflow: 'Shop', phases: PHASES, phase });
  return { context, runId };
}

describe('cancel', () => {
  test('archives the run with its reason, and the journal tells it', () => {
    const { context, runId } = withRun();
    const run = cancelRun(context, undefined, 'not wanted');
    expect(run.path).toBe(`untracked/workflow-archive/${runId}.json`);
    expect(run.state).toMatchObject({ status: 'cancelled', status_reason: 'not wanted' });
    expect(context.store.list().runs).toEqual([]);
    const events = context.store.journal(run).map(({ event }) => event);
    expect(events.at(-1)).toBe('cancelled');
  });
});

describe('complete', () => {
  test('drops the reason of an earlier pause', () => {
    const { context, runId } = withRun();
    pauseRun(context, undefined, 'waits for a key');
    const run = completeRun(context, runId, { purge: false });
    expect(run.state.status).toBe('completed');
    expect(run.state).not.toHaveProperty('status_reason');
  });
});

describe('reopen', () => {
  test('brings a completed run back to its last phase', () => {
    const { context, runId } = withRun();
    completeRun(context, undefined, { purge: false });
    expect(reopenRun(context, 'shop').runId).toBe(runId);
    const { state } = stored(context, runId);
    expect(state).toMatchObject({
      status: 'in_progress',
      phase: { current: 3, name: 'Review', status: 'in_progress' },
    });
    expect(context.store.archive().runs).toEqual([]);
    expect(context.store.journal(stored(context, runId)).at(-1)).toMatchObject({
      event: 'reopened',
    });
  });

  test('leaves a session that holds another run by now with that run', () => {
    const { context, runId } = withRun();
    resumeRun(context, runId, { force: false });
    completeRun(context, undefined, { purge: false });
    const other = createRun(context.store, { workflow: 'Other' });
    resumeRun(context, other.runId, { force: false });
    reopenRun(context, runId);
    expect(holderOf(stored(context, runId).state)).toBeNull();
    expect(runToRead(context).run.runId).toBe(other.runId);
  });

  test('begins a last phase that was skipped, which is then finished like any other', async () => {
    const { context, runId } = withRun();
    skipRun(context, undefined, { reason: 'no need' });
    reopenRun(context, runId);
    const { state } = stored(context, runId);
    expect(state.phase).toMatchObject({ current: 3, status: 'in_progress' });
    expect(state).not.toHaveProperty('skipped');
    const { run } = await advanceRun(context, runId, { artefacts: [] });
    expect(run.state).toMatchObject({ status: 'completed', phase: { status: 'completed' } });
    expect(run.state).not.toHaveProperty('skipped');
  });

  test('begins a last step that was skipped, and keeps what was skipped before it', () => {
    const context = contextIn(makeProject());
    const template = aTemplate([action('a'), action('b')]);
    const { runId } = startRun(context, begun(template), { switches: false }).run;
    skipRun(context, undefined, { reason: 'no need' });
    skipRun(context, undefined, { reason: 'no need' });
    reopenRun(context, runId);
    expect(stored(context, runId).state).toMatchObject({
      phase: { current: 2, status: 'in_progress' },
      skipped: { '1': 'no need' },
    });
    expect(stored(context, runId).state.skipped).not.toHaveProperty('2');
  });

  test('drops the reason of a cancelled run', () => {
    const { context, runId } = withRun();
    cancelRun(context, undefined, 'not wanted');
    reopenRun(context, runId);
    expect(stored(context, runId).state).not.toHaveProperty('status_reason');
  });

  test('of an unknown name lists the archived runs, of a misspelt one the run that is meant', () => {
    const { context, runId } = withRun();
    completeRun(context, undefined, { purge: false });
    expect(() => reopenRun(context, 'nothing')).toThrow(saying(`available: ${runId}`));
    expect(() => reopenRun(context, 'shopp')).toThrow(saying(`did you mean ${runId}?`));
    expect(() => runToRead(context, 'shopp')).toThrow(saying(`did you mean ${runId}?`));
  });

  test('brings back a run that has ended in a file which is not in the archive', () => {
    const { context, runId } = withRun();
    context.store.transaction((tx) => {
      const [run] = tx.runs;
      if (run !== undefined) tx.write(run, { ...run.state, status: 'cancelled' });
    });
    expect(reopenRun(context, 'shop').runId).toBe(runId);
    expect(stored(context, runId).state.status).toBe('in_progress');
    expect(context.store.journal(stored(context, runId)).at(-1)).toMatchObject({
      event: 'reopened',
    });
  });

  test('is refused for a run that has not ended, and for an unknown one', () => {
    const { context, runId } = withRun();
    expect(() => reopenRun(context, runId)).toThrow(
      expect.objectContaining({ failure: { code: 'not_archived', run: runId } }),
    );
    expect(() => reopenRun(context, 'nothing')).toThrow(
      expect.objectContaining({ code: 'unknown_run' }),
    );
  });

  test('lets another session take a run that a live session has ended', () => {
    const { context, runId } = withRun();
    resumeRun(context, runId, { force: false });
    completeRun(context, undefined, { purge: false });
    const other = { ...context, session: 's2' };
    expect(resumeRun(other, runId, { force: false }).run.state.sessions).toMatchObject({
      current_session_id: 's2',
    });
    completeRun(other, undefined, { purge: false });
    reopenRun({ ...context, session: null }, runId);
    expect(stored(context, runId).state.sessions?.current_session_id).toBeNull();
    expect(resumeRun(context, runId, { force: false }).run.runId).toBe(runId);
    completeRun(context, undefined, { purge: false });
    reopenRun(context, runId);
    expect(stored(context, runId).state.sessions?.current_session_id).toBe('s1');
  });

  test('is part of resume, which then takes the run', () => {
    const { context, runId } = withRun();
    cancelRun(context, undefined, 'not wanted');
    const { run, guidance } = resumeRun(context, 'shop', { force: false });
    expect(run.runId).toBe(runId);
    expect(run.state.sessions?.current_session_id).toBe('s1');
    expect(guidance).toContain('Workflow: Shop');
  });

  test('works from a terminal through resume, where no session takes the run', () => {
    const { context, runId } = withRun(null);
    completeRun(context, undefined, { purge: false });
    expect(resumeRun(context, runId, { force: false }).guidance).toBeNull();
    expect(stored(context, runId).state.status).toBe('in_progress');
  });
});

describe('a new list of phases', () => {
  test('is followed by the name of the current phase', () => {
    const { context } = withRun();
    const phases = ['Design', 'Spike', 'Build', 'Review', 'Ship'];
    const { state } = updateRun(context, undefined, { ...NO_EDITS, phases }, {});
    expect(state).toMatchObject({ phases, phase: { current: 4, total: 5, name: 'Review' } });
  });

  test('keeps the number, within the list, where the name is gone', () => {
    const { context } = withRun();
    const { state } = updateRun(context, undefined, { ...NO_EDITS, phases: ['One', 'Two'] }, {});
    expect(state.phase).toMatchObject({ current: 2, total: 2, name: 'Two' });
  });

  test('moves skipped phases along by name', () => {
    const { context, runId } = withRun();
    const run = stored(context, runId);
    context.store.transaction((tx) => tx.write(run, { ...run.state, skipped: { '2': 'no need' } }));
    const { state } = updateRun(
      context,
      undefined,
      { ...NO_EDITS, phases: ['Build', 'Review'] },
      {},
    );
    expect(state.skipped).toEqual({ '1': 'no need' });
  });
});
