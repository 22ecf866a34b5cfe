import { describe, expect, test } from 'vitest';
import { startRun } from '../../../src/operations/start.ts';
import { makeProject } from '../../support/project.ts';
import { aState } from '../../support/runs.ts';
import { action, aTemplate } from '../../support/templates.ts';
import { begun, contextIn, stored } from './support.ts';
import { saying } from '../../support/failures.ts';

const deploy = begun(aTemplate([action('build', { context: 'compact' })], { name: 'Deploy' }));
const other = begun(aTemplate([action('write')], { name: 'Other' }));
const start = { switches: false };

describe('a run that is begun', () => {
  test('is held by the session, and the action before its first step is asked for in the same write', () => {
    const context = contextIn(makeProject());
    const { run, isNew, action: asked } = startRun(context, deploy, start);
    expect({ isNew, asked }).toEqual({ isNew: true, asked: '/compact' });
    expect(stored(context, run.runId).state).toMatchObject({
      revision: 1,
      sessions: { current_session_id: 's1' },
      machine: { contextActionExecuted: true, contextAction: { command: '/compact' } },
    });
    expect(context.store.journal(run)).toMatchObject([
      { event: 'started', by: 'cli', session_id: 's1' },
    ]);
  });

  test('in a terminal is held by nobody, and may be begun again', () => {
    const context = contextIn(makeProject(), null);
    const first = startRun(context, deploy, start);
    const second = startRun(context, deploy, start);
    expect(second.isNew).toBe(true);
    expect(stored(context, first.run.runId).state.sessions).toBeUndefined();
    expect(second.unheld.map(({ runId }) => runId)).toEqual([first.run.runId]);
    expect(context.warnings).toEqual([]);
  });
});

describe('in a session that works on a run', () => {
  test('the same template gives that run back as it is', () => {
    const context = contextIn(makeProject());
    const first = startRun(context, deploy, start);
    const again = startRun(context, deploy, start);
    expect(again).toEqual({
      run: stored(context, first.run.runId),
      isNew: false,
      action: null,
      unheld: [],
      artifacts: null,
    });
    expect(context.store.list().runs).toHaveLength(1);
  });

  test('a run of the same name without a template is another one', () => {
    const context = contextIn(makeProject());
    startRun(context, aState({ workflow: 'Deploy' }), start);
    expect(() => startRun(context, deploy, start)).toThrow(
      saying('this session already works on deploy-'),
    );
  });

  test('another template is refused, and the refusal says how to let go', () => {
    const context = contextIn(makeProject());
    const { run } = startRun(context, deploy, start);
    expect(() => startRun(context, other, start)).toThrow(
      saying(
        `this session already works on ${run.runId}; finish it with \`holdfast complete\`, or release it: the same command with --switch`,
      ),
    );
    expect(context.store.list().runs).toHaveLength(1);
  });

  test.each([
    ['another template', other],
    ['the same template', deploy],
  ])('%s lets go of it where that is wanted', (_what, wanted) => {
    const context = contextIn(makeProject());
    const { run } = startRun(context, deploy, start);
    const next = startRun(context, wanted, { ...start, switches: true });
    expect(next.isNew).toBe(true);
    expect(stored(context, run.runId).state.sessions?.current_session_id).toBeNull();
    expect(stored(context, next.run.runId).state.sessions?.current_session_id).toBe('s1');
    expect(context.warnings).toContain(`released ${run.runId}`);
  });
});
