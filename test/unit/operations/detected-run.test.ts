import { describe, expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { cancelRun } from '../../../src/operations/cancel.ts';
import { completeRun } from '../../../src/operations/complete.ts';
import { failRun } from '../../../src/operations/fail.ts';
import { previewGuidance } from '../../../src/operations/guidance.ts';
import { pauseRun } from '../../../src/operations/pause.ts';
import { resumeRun } from '../../../src/operations/resume.ts';
import { skipRun } from '../../../src/operations/skip.ts';
import { getStatus } from '../../../src/operations/status.ts';
import { runToRead } from '../../../src/operations/target-run.ts';
import { saying } from '../../support/failures.ts';
import { makeProject } from '../../support/project.ts';
import { createRun } from '../../support/store.ts';
import { contextIn, stored, type TestContext } from './support.ts';

const LOCAL_FILE = '## Workflow State\nWorkflow: Data migration\nPhase: 2/4 - Copy\n';
const LOOK = { isLook: true, lastPrompted: null };

function declaring(files: Record<string, string> = { 'CLAUDE.local.md': LOCAL_FILE }): TestContext {
  return contextIn(makeProject({ '.git/HEAD': '', ...files }), 's1');
}

describe('a workflow that is only declared', () => {
  test('is stored by the first command that changes it, which says so', async () => {
    const context = declaring();
    const { run, finished } = await advanceRun(context, undefined, { artefacts: [] });
    expect(finished).toBe('phase 2/4 Copy');
    expect(stored(context, run.runId).state.phase).toMatchObject({ current: 3, total: 4 });
    expect(context.warnings).toEqual([
      `stored "Data migration" as ${run.runId}; it was only declared in CLAUDE.local.md`,
    ]);
    const events = context.store.journal(run).map(({ event }) => event);
    expect(events).toEqual(['detected', 'advanced']);
  });

  test.each([
    ['fail', (context: TestContext) => failRun(context, 'data', 'no disk').run],
    ['skip', (context: TestContext) => skipRun(context, 'data-migration', { reason: 'done' }).run],
    ['pause', (context: TestContext) => pauseRun(context, undefined, '')],
    [
      'resume',
      (context: TestContext) => resumeRun(context, 'Data migration', { force: false }).run,
    ],
  ])('can be named at once: %s', (_command, change) => {
    const context = declaring();
    const { runId } = change(context);
    expect(stored(context, runId).state.workflow).toBe('Data migration');
  });

  test('counts beside a stored run: without a name neither is meant', async () => {
    const context = declaring();
    createRun(context.store, { workflow: 'Shop' });
    await expect(advanceRun(context, undefined, { artefacts: [] })).rejects.toThrow(
      saying('several runs are active'),
    );
    expect(context.store.list().runs).toHaveLength(1);
  });

  test('is left alone by a command that names another run', async () => {
    const context = declaring();
    const { runId } = createRun(context.store, { workflow: 'Shop' });
    await advanceRun(context, 'shop', { artefacts: [] });
    expect(context.store.list().runs.map((run) => run.runId)).toEqual([runId]);
    expect(context.warnings).toEqual([]);
  });

  test('is shown by its name, and nothing is written', () => {
    const context = declaring();
    const { run, changes } = getStatus(context, 'data', LOOK);
    expect(run).toBeNull();
    expect(changes).toMatchObject([{ kind: 'create', state: { workflow: 'Data migration' } }]);
    expect(context.store.list().runs).toEqual([]);
  });
});

describe('an archived run', () => {
  test('is found by every command that names one to read it', () => {
    const context = declaring({});
    const { runId } = createRun(context.store, { workflow: 'Shop' });
    completeRun(context, 'shop', { purge: false });
    expect(getStatus(context, 'shop', LOOK).run?.runId).toBe(runId);
    expect(runToRead(context, 'shop').run.runId).toBe(runId);
    expect(previewGuidance(context, 'shop', 'compact').restoration.choice).toMatchObject({
      why: { stopped: { runId } },
    });
  });

  test('is named by the refusal of a command that would change it', async () => {
    const context = declaring({});
    const { runId } = createRun(context.store, { workflow: 'Shop' });
    cancelRun(context, 'shop', 'not wanted');
    const refusal = saying(
      `${runId} is cancelled and in the archive; reopen it with \`holdfast reopen ${runId}\``,
    );
    await expect(advanceRun(context, 'shop', { artefacts: [] })).rejects.toThrow(refusal);
    expect(() => pauseRun(context, runId, '')).toThrow(refusal);
  });

  test('gives way to a stored run of the same name', () => {
    const context = declaring({});
    createRun(context.store, { workflow: 'Shop' });
    completeRun(context, 'shop', { purge: false });
    const again = createRun(context.store, { workflow: 'Shop' });
    expect(runToRead(context, 'shop').run.runId).toBe(again.runId);
  });
});
