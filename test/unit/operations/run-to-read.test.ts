import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { runToRead } from '../../../src/operations/run-to-read.ts';
import { makeProject } from '../../support/project.ts';
import { heldBy } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { deskIn } from './support.ts';
import { saying } from '../../support/failures.ts';

const live = (session: string) => heldBy(session, { environment: { hostname: hostname() } });

describe('the run to look at', () => {
  test('is the one that the session holds', () => {
    const desk = deskIn(makeProject(), 's1');
    createRun(desk.store, { workflow: 'Free' });
    const own = createRun(desk.store, { workflow: 'Own', ...live('s1') });
    const { run, others } = runToRead(desk);
    expect(run.runId).toBe(own.runId);
    expect(others.map(({ state }) => state.workflow)).toEqual(['Free']);
  });

  test('is any that is named, whoever holds it', () => {
    const desk = deskIn(makeProject(), 's1');
    createRun(desk.store, { workflow: 'Theirs', ...live('s2') });
    expect(runToRead(desk, 'theirs').run.state.workflow).toBe('Theirs');
  });

  test('is none where others hold them all, and they are named', () => {
    const desk = deskIn(makeProject(), 's1');
    const { runId } = createRun(desk.store, live('s2'));
    expect(() => runToRead(desk)).toThrow(
      saying(`every active run here is held by another live session: ${runId}`),
    );
  });

  test('is none where none is active', () => {
    const desk = deskIn(makeProject(), 's1');
    createRun(desk.store, { status: 'paused' });
    expect(() => runToRead(desk)).toThrow(saying('no active workflow here'));
  });
});
