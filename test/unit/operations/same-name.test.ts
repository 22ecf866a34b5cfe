import { describe, expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { completeRun } from '../../../src/operations/complete.ts';
import { findDetectedRuns } from '../../../src/operations/detected-run.ts';
import { runToDrive } from '../../../src/operations/drive.ts';
import { previewGuidance } from '../../../src/operations/guidance.ts';
import { reopenRun } from '../../../src/operations/reopen.ts';
import { resumeRun } from '../../../src/operations/resume.ts';
import { getStatus } from '../../../src/operations/status.ts';
import { findRunAnywhere, runToRead } from '../../../src/operations/target-run.ts';
import { updateRun } from '../../../src/operations/update.ts';
import { saying } from '../../support/failures.ts';
import { makeProject } from '../../support/project.ts';
import { NO_EDITS } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { contextIn, type TestContext } from './support.ts';

const TASKS = '# Tasks\n\n## Phase 1: Setup\n- [x] T001 a\n\n## Phase 2: Core\n- [ ] T002 b\n';
const LOCAL_FILE = '## Workflow State\nWorkflow: Tasks\nPhase: 1/3 - Design\n';
const LOGIN = 'specs/001-login/tasks.md';
const SEARCH = 'specs/002-search/tasks.md';
const EXPORT = 'specs/003-export/tasks.md';
const LOOK = { isLook: true, lastPrompted: null };
const REMIND = { ...NO_EDITS, remind: ['be quick'] };

function declaring(paths: readonly string[], session: string | null = 's1'): TestContext {
  const files = Object.fromEntries(paths.map((path) => [path, TASKS]));
  return contextIn(makeProject({ '.git/HEAD': '', ...files }), session);
}

function idsOf(context: TestContext): string[] {
  return findDetectedRuns(context, context.store.list().runs).map(({ run }) => run.runId);
}

describe.each([['s1'], [null]])('declared workflows of one name, session %s', (session) => {
  test('have different ids, which are those that they are stored under', () => {
    const context = declaring([LOGIN, SEARCH, EXPORT], session);
    const ids = idsOf(context);
    expect(new Set(ids).size).toBe(3);
    updateRun(context, SEARCH, REMIND, {});
    const stored = context.store.list().runs;
    expect(stored.map(({ runId }) => runId).toSorted()).toEqual(ids.toSorted());
    expect(stored.find(({ runId }) => runId === ids[1])?.state).toMatchObject({
      source: { path: SEARCH },
      key_reminders: ['be quick'],
    });
  });

  test('can be named by that id as well', () => {
    const context = declaring([LOGIN, SEARCH], session);
    const [, second = ''] = idsOf(context);
    expect(updateRun(context, second, REMIND, {})).toMatchObject({
      runId: second,
      state: { source: { path: SEARCH } },
    });
  });

  test('are refused together, each with its id and its file, and nothing is stored', async () => {
    const context = declaring([LOGIN, SEARCH], session);
    const runs = idsOf(context).map((run, at) => ({ run, source: [LOGIN, SEARCH][at] }));
    const refused = (name: string | null): object =>
      expect.objectContaining({
        failure: { code: 'ambiguous_run', name, runs: expect.arrayContaining(runs) },
      });
    const advance = (name?: string): Promise<unknown> =>
      advanceRun(context, name, { artefacts: [] });
    await expect(advance('tasks')).rejects.toThrow(refused('tasks'));
    await expect(advance()).rejects.toThrow(refused(null));
    expect(() => getStatus(context, 'tasks', LOOK)).toThrow(refused('tasks'));
    expect(() => previewGuidance(context, 'tasks', 'startup')).toThrow(refused('tasks'));
    expect(() => resumeRun(context, 'tasks', { force: false })).toThrow(refused('tasks'));
    expect(() => runToRead(context, 'tasks')).toThrow(refused('tasks'));
    expect(() => runToRead(context)).toThrow(refused(null));
    expect(context.store.list().runs).toEqual([]);
  });
});

test('a stored and a declared run of one name are both meant by it', () => {
  const both = declaring([LOGIN, SEARCH]);
  createRun(both.store, { workflow: 'Tasks', source: { kind: 'plan', path: LOGIN } });
  expect(() => updateRun(both, 'tasks', REMIND, {})).toThrow(saying(`(${SEARCH})`));
  expect(updateRun(both, LOGIN, REMIND, {}).state.source?.path).toBe(LOGIN);
});

describe('the path of a source', () => {
  test('may be given as seen from the working directory, or in full', () => {
    const context = declaring([LOGIN, SEARCH]);
    const inFolder = { ...context, cwd: `${context.root}/specs/002-search` };
    const named = (name: string): string | undefined =>
      getStatus(inFolder, name, LOOK).detected[0]?.change.state.source?.path;
    expect(named('tasks.md')).toBe(SEARCH);
    expect(named('../001-login/tasks.md')).toBe(LOGIN);
    expect(named(`${context.root}/${LOGIN}`)).toBe(LOGIN);
  });

  test('means the run also if it is the second source of it', () => {
    const context = contextIn(
      makeProject({ '.git/HEAD': '', 'CLAUDE.local.md': LOCAL_FILE, [LOGIN]: TASKS }),
    );
    const detected = getStatus(context, LOGIN, LOOK).detected;
    expect(detected.map(({ run }) => run.state.source?.path)).toEqual(['CLAUDE.local.md']);
    const { runId } = updateRun(context, LOGIN, REMIND, {});
    expect(findRunAnywhere(context, LOGIN).runId).toBe(runId);
  });

  test('means an archived run, too', () => {
    const context = declaring([LOGIN, SEARCH]);
    const { runId } = completeRun(context, LOGIN, { purge: false });
    expect(runToRead(context, LOGIN).run.runId).toBe(runId);
    expect(reopenRun(context, LOGIN).runId).toBe(runId);
  });
});

describe('a command that only reads stored runs', () => {
  test('says that the workflow is only declared, and what stores it', () => {
    const context = declaring([LOGIN]);
    const [runId = ''] = idsOf(context);
    const failure = { code: 'only_declared', run: runId, source: LOGIN };
    for (const name of ['tasks', undefined])
      expect(() => runToRead(context, name)).toThrow(expect.objectContaining({ failure }));
    expect(() => runToRead(context, 'tasks')).toThrow(
      saying(`in a Claude Code session \`holdfast resume ${runId}\``),
    );
  });

  test('lists declared workflows where the name is unknown', () => {
    const context = declaring([LOGIN]);
    const [runId = ''] = idsOf(context);
    expect(() => runToRead(context, 'nope')).toThrow(saying(`available: ${runId}`));
  });
});

test('the guidance of a workflow that is only declared can be read by its name, for any source', () => {
  const context = declaring([LOGIN, SEARCH]);
  for (const source of ['startup', 'compact']) {
    const { restoration } = previewGuidance(context, SEARCH, source);
    expect(restoration.text).toContain(`@${SEARCH}`);
  }
  expect(context.store.list().runs).toEqual([]);
});

test('several archived runs of one name are refused with the list', () => {
  const context = declaring([]);
  const ids = [1, 2].map(() => {
    createRun(context.store, { workflow: 'Shop' });
    return completeRun(context, 'shop', { purge: false }).runId;
  });
  for (const name of [...ids]) expect(findRunAnywhere(context, name).runId).toBe(name);
  expect(() => resumeRun(context, 'shop', { force: false })).toThrow(
    saying('"shop" matches several runs'),
  );
});

test('reopen means the archived run, also where an active one has its name', () => {
  const context = declaring([]);
  createRun(context.store, { workflow: 'Shop' });
  const { runId } = completeRun(context, 'shop', { purge: false });
  createRun(context.store, { workflow: 'Shop' });
  expect(reopenRun(context, 'shop').runId).toBe(runId);
});

describe('the whole name of one run that is the beginning of another', () => {
  test('means the archived run: no command ends the other one', async () => {
    const context = declaring([]);
    createRun(context.store, { workflow: 'Shop' });
    const { runId } = completeRun(context, 'shop', { purge: false });
    const other = createRun(context.store, { workflow: 'Shop relaunch' });
    for (const name of ['shop', 'Shop']) {
      const archived = expect.objectContaining({ code: 'run_archived' });
      expect(() => completeRun(context, name, { purge: false })).toThrow(archived);
      await expect(advanceRun(context, name, { artefacts: [] })).rejects.toThrow(archived);
      expect(runToRead(context, name).run.runId).toBe(runId);
      expect(previewGuidance(context, name, 'compact').restoration.text).toBeNull();
    }
    expect(runToRead(context, 'sho').run.runId).toBe(other.runId);
    expect(resumeRun(context, 'shop', { force: false }).run.runId).toBe(runId);
  });

  test('means the stored run: reopen does not bring back the archived one', () => {
    const context = declaring([]);
    createRun(context.store, { workflow: 'Shop relaunch' });
    completeRun(context, undefined, { purge: false });
    createRun(context.store, { workflow: 'Shop' });
    expect(() => reopenRun(context, 'shop')).toThrow(
      expect.objectContaining({ code: 'not_archived' }),
    );
  });

  test('means the archived run: a workflow that is only declared is not stored', () => {
    const context = declaring([LOGIN]);
    createRun(context.store, { workflow: 'Task' });
    completeRun(context, 'task', { purge: false });
    expect(() => completeRun(context, 'task', { purge: false })).toThrow(
      expect.objectContaining({ code: 'run_archived' }),
    );
    expect(context.store.list().runs).toEqual([]);
  });
});

test('a run to drive is stored first, but not for a dry run', () => {
  const context = declaring([LOGIN], null);
  for (const name of ['tasks', undefined])
    expect(runToDrive(context, name, { isDryRun: true }).state.source?.path).toBe(LOGIN);
  expect(context.store.list().runs).toEqual([]);
  const { runId } = runToDrive(context, 'tasks', { isDryRun: false });
  expect(context.store.list().runs.map((run) => run.runId)).toEqual([runId]);
});

test('the last of more declared workflows than one sync stores can be named', () => {
  const paths = Array.from({ length: 210 }, (_, at) => `specs/${1000 + at}/tasks.md`);
  const files = paths.map((path, at): [string, string] => [
    path,
    TASKS.replace('Tasks', `Item ${at}`),
  ]);
  const context = contextIn(makeProject({ '.git/HEAD': '', ...Object.fromEntries(files) }));
  const last = paths.at(-1) ?? '';
  expect(updateRun(context, last, REMIND, {}).state.source?.path).toBe(last);
}, 30_000);
