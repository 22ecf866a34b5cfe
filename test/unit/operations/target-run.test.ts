import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { runToRead } from '../../../src/operations/target-run.ts';
import { makeProject } from '../../support/project.ts';
import { heldBy } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { contextIn } from './support.ts';
import { saying } from '../../support/failures.ts';

const live = (session: string) => heldBy(session, { environment: { hostname: hostname() } });

describe('the run to look at', () => {
  test('is the one that the session holds', () => {
    const context = contextIn(makeProject(), 's1');
    createRun(context.store, { workflow: 'Free' });
    const own = createRun(context.store, { workflow: 'Own', ...live('s1') });
    const { run, others } = runToRead(context);
    expect(run.runId).toBe(own.runId);
    expect(others.map(({ state }) => state.workflow)).toEqual(['Free']);
  });

  test('is any that is named, even if another session holds it', () => {
    const context = contextIn(makeProject(), 's1');
    createRun(context.store, { workflow: 'Theirs', ...live('s2') });
    expect(runToRead(context, 'theirs').run.state.workflow).toBe('Theirs');
  });

  test('is the most recent one where others hold them all', () => {
    const context = contextIn(makeProject(), 's1');
    const { runId } = createRun(context.store, live('s2'));
    expect(runToRead(context).run.runId).toBe(runId);
  });

  test('does not exist if no run is active', () => {
    const context = contextIn(makeProject(), 's1');
    createRun(context.store, { status: 'paused' });
    expect(() => runToRead(context)).toThrow(saying('no active workflow here'));
  });
});
