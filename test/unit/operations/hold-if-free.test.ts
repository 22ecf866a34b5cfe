import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { completeRun } from '../../../src/operations/complete.ts';
import { releaseRuns } from '../../../src/operations/release.ts';
import { resumeRun } from '../../../src/operations/resume.ts';
import { startRun } from '../../../src/operations/start.ts';
import type { OperationContext } from '../../../src/operations/open-project.ts';
import { failRun } from '../../../src/operations/fail.ts';
import { setLoopTasks } from '../../../src/operations/set-tasks.ts';
import { chooseRun } from '../../../src/sessions/choose-run.ts';
import { holderOf, sessionRecord } from '../../../src/sessions/holder.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { heldBy, minutesBefore } from '../../support/runs.ts';
import { change, createRun } from '../../support/store.ts';
import { action, aTemplate, loop, sub } from '../../support/templates.ts';
import { begun, contextIn, stored } from './support.ts';

const template = aTemplate(
  [loop('items', { on_fail: 'retry' }), action('check', { context: 'clear' }), action('ship')],
  { loops: { items: [sub('write')] } },
);

/** A run that a person started in a terminal, so that no session holds it. */
function startedByHand(project: Project): string {
  const context = contextIn(project, null);
  const { run } = startRun(context, begun(template), { switches: false });
  setLoopTasks(context, run.runId, 'items', [{ title: 'A' }]);
  return run.runId;
}

const moves: [string, (context: OperationContext, runId?: string) => unknown][] = [
  ['advance', (context, runId) => advanceRun(context, runId, { artefacts: [] })],
  ['fail', (context, runId) => failRun(context, runId, 'no')],
  ['tasks', (context, runId) => setLoopTasks(context, runId, 'items', [{ title: 'B' }])],
];

describe.each(moves)('%s by a session', (_name, move) => {
  test('takes a run that nobody holds, in the same write, and the journal tells', async () => {
    const project = makeProject();
    const runId = startedByHand(project);
    const context = contextIn(project, 's1');
    const before = stored(context, runId).state.revision ?? 0;
    await move(context);
    const { state } = stored(context, runId);
    expect(holderOf(state)).toBe('s1');
    expect(sessionRecord(state, 's1')?.environment?.hostname).toBe(hostname());
    expect(state.revision).toBe(before + 1);
    expect(context.store.journal(stored(context, runId)).at(-1)).toMatchObject({
      held: true,
      session_id: 's1',
    });
    await move(context);
    expect(context.store.journal(stored(context, runId)).at(-1)).not.toHaveProperty('held');
  });

  test('takes it from one that is long gone, but only by its name', async () => {
    const project = makeProject();
    const runId = startedByHand(project);
    const context = contextIn(project, 's1');
    const gone = { last_seen_at: minutesBefore(13 * 60), environment: { hostname: hostname() } };
    change(context.store, runId, (state) => ({ ...state, ...heldBy('s0', gone) }));
    await expect(async () => move(context)).rejects.toThrow('all_held');
    await move(context, runId);
    expect(holderOf(stored(context, runId).state)).toBe('s1');
  });

  test('makes a run that the session was given its own, but not one that was asked for', async () => {
    const project = makeProject();
    const runId = startedByHand(project);
    const context = contextIn(project, 's1');
    const given = { taken_by: 'evidence' as const, environment: { hostname: hostname() } };
    change(context.store, runId, (state) => ({ ...state, ...heldBy('s1', given) }));
    await move(context);
    expect(sessionRecord(stored(context, runId).state, 's1')?.taken_by).toBe('move');
  });

  test('leaves it to a live session that holds it', async () => {
    const project = makeProject();
    const runId = startedByHand(project);
    const context = contextIn(project, 's1');
    const live = { environment: { hostname: hostname() } };
    change(context.store, runId, (state) => ({ ...state, ...heldBy('s2', live) }));
    await move(context, runId);
    expect(holderOf(stored(context, runId).state)).toBe('s2');
  });

  test('takes none beside the one that it holds', async () => {
    const project = makeProject();
    const runId = startedByHand(project);
    const context = contextIn(project, 's1');
    createRun(context.store, { workflow: 'Own', ...heldBy('s1') });
    await move(context, runId);
    expect(holderOf(stored(context, runId).state)).toBeNull();
  });

  test('gives it back a run that it had released once its own is done', async () => {
    const project = makeProject();
    const runId = startedByHand(project);
    const context = contextIn(project, 's1');
    resumeRun(context, runId, { force: false });
    releaseRuns(context, runId);
    const own = createRun(context.store, { workflow: 'Own', ...heldBy('s1') });
    await move(context, runId);
    completeRun(context, own.runId, { purge: false });
    const choice = chooseRun({
      ...context,
      runs: context.store.list().runs,
      handedOver: null,
      transcript: { kind: 'not_read' },
      isStale: () => false,
    });
    expect(choice).toMatchObject({ kind: 'run', run: { runId }, reason: { rule: 'held_last' } });
  });

  test('takes nothing for a person in a terminal', async () => {
    const project = makeProject();
    const runId = startedByHand(project);
    const context = contextIn(project, null);
    await move(context);
    expect(holderOf(stored(context, runId).state)).toBeNull();
  });
});

test('a failed phase of a run without a template is taken too', () => {
  const context = contextIn(makeProject(), 's1');
  const { runId } = createRun(context.store);
  failRun(context, undefined, 'no');
  expect(holderOf(stored(context, runId).state)).toBe('s1');
});
