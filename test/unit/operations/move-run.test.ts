import { describe, expect, test } from 'vitest';
import { viewRun } from '../../../src/operations/move-run.ts';
import { hold } from '../../../src/sessions/holder.ts';
import type { StoredRun } from '../../../src/state/types.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import { change } from '../../support/store.ts';
import { action, aTemplate } from '../../support/templates.ts';
import { begun, contextIn, stored } from './support.ts';

/** A run whose action no session has got yet. */
function dueRun(project: Project, session = 's1'): StoredRun {
  const state = begun(aTemplate([action('plan', { context: 'compact' }), action('end')]));
  return contextIn(project).store.transaction((tx) =>
    tx.create(hold(state, session, {}, NOW), { event: 'started' }),
  );
}

describe('a look', () => {
  test('of the session that holds the run delivers what is due, once', () => {
    const project = makeProject();
    const context = contextIn(project);
    const run = dueRun(project);
    expect(viewRun(context, run, [run]).action).toBe('/compact');
    const now = stored(context, run.runId);
    expect(now.state).toMatchObject({ revision: 2, machine: { contextActionExecuted: true } });
    expect(viewRun(context, now, [now])).toEqual({ run: now, action: null });
    expect(stored(context, run.runId).state.revision).toBe(2);
  });

  test.each([
    ['another session', 's2'],
    ['a terminal', null],
  ])('of %s changes nothing', (_who, session) => {
    const project = makeProject();
    const run = dueRun(project);
    const before = project.read(run.path);
    expect(viewRun(contextIn(project, session), run, [run])).toEqual({ run, action: null });
    expect(project.read(run.path)).toBe(before);
  });

  test('of the session that took over across /clear is one of the holder', () => {
    const project = makeProject();
    const run = dueRun(project);
    const handed = change(contextIn(project).store, run.runId, (state) => ({
      ...state,
      sessions: {
        current_session_id: 's2',
        session_history: [{ session_id: 's1', started_at: '', handed_to: 's2' }],
      },
    }));
    expect(viewRun(contextIn(project, 's1'), handed, [handed]).action).toBe('/compact');
  });

  test.each([
    ['was paused meanwhile', { status: 'paused' as const }],
    ['was taken by another session meanwhile', { sessions: { current_session_id: 's2' } }],
  ])('at a run that %s changes nothing', (_what, fields) => {
    const project = makeProject();
    const context = contextIn(project);
    const run = dueRun(project);
    change(context.store, run.runId, (state) => ({ ...state, ...fields }));
    const before = project.read(run.path);
    expect(viewRun(context, run, [run]).action).toBeNull();
    expect(project.read(run.path)).toBe(before);
  });

  test('at a run that was ended meanwhile does not bring it back', () => {
    const project = makeProject();
    const context = contextIn(project);
    const run = dueRun(project);
    context.store.transaction((tx) =>
      tx.end(run, run.state, { event: 'completed' }, { purge: false }),
    );
    expect(viewRun(context, run, [run]).action).toBeNull();
    expect(project.exists(run.path)).toBe(false);
  });
});
