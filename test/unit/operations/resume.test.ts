import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { pauseRun } from '../../../src/operations/pause.ts';
import { resumeRun } from '../../../src/operations/resume.ts';
import { holderOf } from '../../../src/sessions/holder.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { heldBy } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { contextIn, stored } from './support.ts';

const live = (session: string) => heldBy(session, { environment: { hostname: hostname() } });
const gently = { force: false };

function paused(project: Project): string {
  const context = contextIn(project, null);
  const { runId } = createRun(context.store, { workflow: 'Shop' });
  pauseRun(context, runId, 'lunch');
  return runId;
}

describe('a terminal that resumes a failed run', () => {
  test('leaves a session that holds another run by now with that run', () => {
    const project = makeProject();
    const context = contextIn(project, null);
    const failed = createRun(context.store, { workflow: 'Shop', status: 'failed', ...live('s1') });
    const own = createRun(context.store, { workflow: 'Own', ...live('s1') });
    resumeRun(context, failed.runId, gently);
    expect(stored(context, failed.runId).state.status).toBe('in_progress');
    expect(holderOf(stored(context, failed.runId).state)).toBeNull();
    expect(holderOf(stored(context, own.runId).state)).toBe('s1');
  });
});

describe('a session that resumes a run', () => {
  test.each(['paused', 'failed'] as const)('makes a %s run active and takes it', (status) => {
    const context = contextIn(makeProject(), 's1');
    const { runId } = createRun(context.store, { status, status_reason: 'x' });
    const { run, guidance } = resumeRun(context, undefined, gently);
    expect(run.runId).toBe(runId);
    expect(guidance).toContain('ACTION REQUIRED');
    const { state } = stored(context, runId);
    expect(state).toMatchObject({ status: 'in_progress', adopted: true });
    expect(state.status_reason).toBeUndefined();
    expect(holderOf(state)).toBe('s1');
    expect(context.store.journal(run).at(-1)).toMatchObject({ event: 'resumed' });
  });

  test('takes an active run that no live session holds', () => {
    const context = contextIn(makeProject(), 's1');
    const { runId } = createRun(context.store, { workflow: 'Shop' });
    const { run } = resumeRun(context, 'shop', gently);
    expect(holderOf(stored(context, runId).state)).toBe('s1');
    expect(context.store.journal(run).at(-1)).toMatchObject({ event: 'claimed', from: null });
  });

  test('releases the run that it held before', () => {
    const project = makeProject();
    const runId = paused(project);
    const context = contextIn(project, 's1');
    const own = createRun(context.store, { workflow: 'Own', ...live('s1') });
    expect(resumeRun(context, runId, gently).released.map((run) => run.runId)).toEqual([own.runId]);
    expect(holderOf(stored(context, own.runId).state)).toBeNull();
    expect(holderOf(stored(context, runId).state)).toBe('s1');
  });

  test('learns that nobody holds the run that it held before', () => {
    const project = makeProject();
    const runId = paused(project);
    const context = contextIn(project, 's1');
    createRun(context.store, { workflow: 'Own', ...live('s1') });
    const { guidance } = resumeRun(context, runId, gently);
    expect(guidance).toContain('Own');
    expect(guidance).not.toMatch(/Own.*held by session s1/);
  });

  test('takes it from a live session only with force', () => {
    const context = contextIn(makeProject(), 's1');
    const { runId } = createRun(context.store, { workflow: 'Shop', ...live('s2') });
    expect(() => resumeRun(context, 'shop', gently)).toThrow(
      expect.objectContaining({ code: 'held_by_other' }),
    );
    expect(holderOf(stored(context, runId).state)).toBe('s2');
    resumeRun(context, 'shop', { force: true });
    expect(holderOf(stored(context, runId).state)).toBe('s1');
  });
});

describe('in a terminal', () => {
  test('a paused run becomes active, and no session holds it', () => {
    const project = makeProject();
    const runId = paused(project);
    const context = contextIn(project, null);
    expect(resumeRun(context, undefined, gently)).toMatchObject({ guidance: null, released: [] });
    expect(stored(context, runId).state.status).toBe('in_progress');
    expect(holderOf(stored(context, runId).state)).toBeNull();
  });

  test('an active run needs a session that takes it', () => {
    const context = contextIn(makeProject(), null);
    createRun(context.store, { workflow: 'Shop' });
    expect(() => resumeRun(context, 'shop', gently)).toThrow(
      expect.objectContaining({ code: 'no_session' }),
    );
  });
});

test('a workflow that is only declared is not stored by a resume that is refused', () => {
  const project = makeProject({
    'CLAUDE.local.md': '# Workflow State\nWorkflow: Shop\nPhase: 1/2 - Plan\n',
  });
  expect(() => resumeRun(contextIn(project, null), 'shop', gently)).toThrow(
    expect.objectContaining({ code: 'no_session' }),
  );
  expect(project.exists('untracked')).toBe(false);
});

test.each(['completed', 'cancelled'] as const)(
  'a run that is %s in a file which is not in the archive is reopened first',
  (status) => {
    const project = makeProject();
    const context = contextIn(project, 's1');
    const { runId } = createRun(context.store, { status, status_reason: 'not wanted' });
    const { run, guidance } = resumeRun(context, runId, gently);
    expect(run.state).toMatchObject({ status: 'in_progress', adopted: true });
    expect(run.state).not.toHaveProperty('status_reason');
    expect(run.state.sessions?.current_session_id).toBe('s1');
    expect(guidance).toContain('Workflow:');
    const other = createRun(context.store, { status });
    expect(resumeRun(contextIn(project, null), other.runId, gently).run.state.status).toBe(
      'in_progress',
    );
  },
);

test('without a name, several paused runs are ambiguous unless one is of this session', () => {
  const project = makeProject();
  const context = contextIn(project, 's1');
  const own = createRun(context.store, { workflow: 'Own', status: 'paused', ...live('s1') });
  createRun(context.store, { workflow: 'Other', status: 'paused' });
  expect(() => resumeRun(contextIn(project, 's2'), undefined, gently)).toThrow(
    expect.objectContaining({ code: 'ambiguous_run' }),
  );
  expect(resumeRun(context, undefined, gently).run.runId).toBe(own.runId);
});

describe('without a name and with nothing paused', () => {
  test('a session takes the only run that is free', () => {
    const context = contextIn(makeProject(), 's1');
    const { runId } = createRun(context.store, { workflow: 'Shop' });
    createRun(context.store, { workflow: 'Theirs', ...live('s2') });
    const { run, guidance } = resumeRun(context, undefined, gently);
    expect(run.runId).toBe(runId);
    expect(guidance).toContain('Workflow: Shop');
  });

  test('it takes a workflow that is only declared', () => {
    const local = '## Workflow State\nWorkflow: Data\nPhase: 2/4 - Copy\n';
    const context = contextIn(makeProject({ 'CLAUDE.local.md': local }), 's1');
    expect(resumeRun(context, undefined, gently).run.state.workflow).toBe('Data');
  });

  test('several are refused with the list, and a terminal is told that nothing is paused', () => {
    const project = makeProject();
    const context = contextIn(project, 's1');
    createRun(context.store, { workflow: 'One' });
    createRun(context.store, { workflow: 'Two' });
    expect(() => resumeRun(context, undefined, gently)).toThrow(
      expect.objectContaining({ code: 'ambiguous_run' }),
    );
    expect(() => resumeRun(contextIn(project, null), undefined, gently)).toThrow(
      expect.objectContaining({ code: 'nothing_paused' }),
    );
  });
});
