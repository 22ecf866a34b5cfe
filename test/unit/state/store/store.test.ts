import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { HookState } from '../../../../src/state/store/hook-state.ts';
import { makeProject } from '../../../support/project.ts';
import { aPhase, aState, NOW } from '../../../support/runs.ts';
import { ARCHIVE, change, createRun, STATE, storeOf } from '../../../support/store.ts';
import { saying } from '../../../support/failures.ts';

const ID = 'feature-20250601_120000';
const FILE = `${STATE}/feature/state-${ID}.json`;
const JOURNAL = `${STATE}/feature/events-${ID}.jsonl`;

describe('a new run', () => {
  test('has its file, its journal and a folder that git does not see', () => {
    const project = makeProject();
    const run = createRun(storeOf(project));
    expect(run).toMatchObject({ runId: ID, slug: 'feature', path: FILE });
    expect(project.json(FILE)).toEqual({
      ...aState(),
      schema_version: 1,
      run_id: ID,
      revision: 1,
      updated_at: NOW.toISOString(),
    });
    expect(storeOf(project).journal(run)).toEqual([{ at: NOW.toISOString(), event: 'started' }]);
    expect(project.read(`${STATE}/.gitignore`)).toBe('*\n');
    expect(project.names('untracked')).toEqual(['workflow-state']);
    expect(project.names(STATE)).toEqual(['.gitignore', 'feature']);
  });

  test('of the same second gets a name of its own, also if the first is archived', () => {
    const project = makeProject();
    const store = storeOf(project);
    const first = createRun(store);
    const second = createRun(store);
    expect(second.runId).toBe('feature-20250601_120001');
    store.transaction((tx) => tx.end(first, first.state, { event: 'ended' }, { purge: false }));
    expect(createRun(store).runId).toBe('feature-20250601_120002');
    expect(store.list().runs).toHaveLength(2);
  });

  test('a .gitignore that somebody changed or removed is left alone', () => {
    const project = makeProject({ [`${STATE}/.gitignore`]: '!keep\n' });
    createRun(storeOf(project));
    expect(project.read(`${STATE}/.gitignore`)).toBe('!keep\n');
    const bare = makeProject({ [`${STATE}/x/y`]: '' });
    createRun(storeOf(bare));
    expect(bare.exists(`${STATE}/.gitignore`)).toBe(false);
  });
});

describe('a write', () => {
  test('keeps what it does not know, and counts', () => {
    const project = makeProject({
      [FILE]: '{"workflow":"Feature","mine":{"a":[1]},"created_at":"then","__proto__":{"x":1}}',
    });
    const store = storeOf(project);
    change(store, ID, (state) => ({ ...state, phase: aPhase({ current: 2 }) }));
    change(store, ID, (state) => ({ ...state, phase: aPhase({ current: 3 }) }));
    expect(project.json(FILE)).toMatchObject({
      mine: { a: [1] },
      created_at: 'then',
      revision: 2,
      phase: { current: 3 },
    });
    expect(project.read(FILE)).toContain('"__proto__": {');
  });

  test('keeps the format version of a newer holdfast', () => {
    const project = makeProject({ [FILE]: '{"workflow":"Feature","schema_version":2}' });
    change(storeOf(project), ID, (state) => ({ ...state, phase: aPhase({ current: 2 }) }));
    expect(project.json(FILE)).toMatchObject({ schema_version: 2, phase: { current: 2 } });
  });

  test('sees what was written since the caller looked', () => {
    const store = storeOf(makeProject());
    createRun(store);
    change(store, ID, (state) => ({ ...state, context: { ...state.context, a: 1 } }));
    change(store, ID, (state) => ({ ...state, context: { ...state.context, b: 2 } }));
    expect(store.list().runs[0]?.state.context).toEqual({ a: 1, b: 2 });
  });

  test('leaves nothing beside the files', () => {
    const project = makeProject();
    const store = storeOf(project);
    createRun(store);
    change(store, ID, (state) => state);
    expect(project.names(STATE)).toEqual(['.gitignore', 'feature']);
    expect(project.names(`${STATE}/feature`)).toEqual([`events-${ID}.jsonl`, `state-${ID}.json`]);
  });

  test('a transaction that fails before its write has changed nothing', () => {
    const project = makeProject();
    const store = storeOf(project);
    createRun(store);
    const before = project.read(FILE);
    expect(() =>
      change(store, ID, () => {
        throw new Error('refused');
      }),
    ).toThrow(saying('refused'));
    expect(project.read(FILE)).toBe(before);
    expect(project.names(STATE)).toEqual(['.gitignore', 'feature']);
  });
});

describe('a file that cannot be read', () => {
  test('is moved aside by the next writer, reported, and the others survive', () => {
    const bad = `${STATE}/bad/state-bad-20250101_000000.json`;
    const project = makeProject({ [bad]: '{"workflow": "Ba' });
    const store = storeOf(project);
    createRun(store);
    store.transaction((tx) => tx.runs);
    expect(project.exists(bad)).toBe(false);
    expect(project.read(`${bad}.corrupt-20250601_120000`)).toBe('{"workflow": "Ba');
    expect(store.list()).toMatchObject({ runs: [{ runId: ID }], unreadable: [] });
  });

  test('is reported to the next writer, once', () => {
    const bad = `${STATE}/bad/state-bad.json`;
    const store = storeOf(makeProject({ [bad]: '' }));
    const setAside = () => store.transaction((tx) => tx.setAside);
    expect(setAside()).toMatchObject([{ path: bad, movedTo: `${bad}.corrupt-20250601_120000` }]);
    expect(setAside()).toEqual([]);
  });

  test('is left alone by a reader', () => {
    const bad = `${STATE}/bad/state-bad.json`;
    const project = makeProject({ [bad]: '{' });
    storeOf(project).list();
    expect(project.read(bad)).toBe('{');
  });
});

describe('the end of a run', () => {
  test('its record and its journal go to the archive, its folder goes', () => {
    const project = makeProject();
    const store = storeOf(project);
    const run = createRun(store, { mine: 1 });
    const ended = store.transaction((tx) =>
      tx.end(run, { ...run.state, status: 'completed' }, { event: 'completed' }, { purge: false }),
    );
    expect(ended.path).toBe(`${ARCHIVE}/${ID}.json`);
    expect(project.names(STATE)).toEqual(['.gitignore']);
    expect(project.names(ARCHIVE)).toEqual(['.gitignore', `${ID}.events.jsonl`, `${ID}.json`]);
    expect(project.read(`${ARCHIVE}/.gitignore`)).toBe('*\n');
    const [archived] = store.archive().runs;
    expect(archived?.state).toMatchObject({ mine: 1, status: 'completed', revision: 2 });
    expect(store.journal(ended).map(({ event }) => event)).toEqual(['started', 'completed']);
  });

  test('its record stays when it is read again and written in the archive', () => {
    const project = makeProject();
    const store = storeOf(project);
    const run = createRun(store);
    const ended = store.transaction((tx) =>
      tx.end(run, { ...run.state, status: 'completed' }, { event: 'completed' }, { purge: false }),
    );
    store.transaction((tx) => {
      const again = tx.reread(ended);
      expect(again?.state.status).toBe('completed');
      if (again !== undefined) tx.write(again, { ...again.state, mine: 2 });
    });
    expect(store.archive().runs).toMatchObject([{ runId: ID, state: { mine: 2 } }]);
    expect(project.names(ARCHIVE)).toContain(`${ID}.events.jsonl`);
  });

  test('with purge nothing is kept', () => {
    const project = makeProject();
    const store = storeOf(project);
    const run = createRun(store);
    store.transaction((tx) => tx.end(run, run.state, { event: 'completed' }, { purge: true }));
    expect(project.names(STATE)).toEqual(['.gitignore']);
    expect(project.exists(ARCHIVE)).toBe(false);
  });

  test.each([true, false])('the folder stays while anything else is in it (purge: %s)', (purge) => {
    const project = makeProject({ [`${STATE}/feature/notes.md`]: 'mine' });
    const store = storeOf(project);
    const run = createRun(store);
    store.transaction((tx) => tx.end(run, run.state, { event: 'completed' }, { purge }));
    expect(project.names(`${STATE}/feature`)).toEqual(['notes.md']);
  });

  test('a run whose files somebody has deleted meanwhile can be ended', () => {
    const project = makeProject();
    const store = storeOf(project);
    const run = createRun(store);
    rmSync(project.at(`${STATE}/feature`), { recursive: true });
    store.transaction((tx) => tx.end(run, run.state, { event: 'completed' }, { purge: true }));
    expect(project.names(STATE)).toEqual(['.gitignore']);
  });
});

describe('the journal', () => {
  test('is bounded: past its limit the newer half is kept', () => {
    const line = `${JSON.stringify({ at: 'then', event: 'old', filler: 'x'.repeat(200) })}\n`;
    const project = makeProject();
    const store = storeOf(project);
    const run = createRun(store);
    project.write(JOURNAL, line.repeat(Math.ceil(256_000 / line.length)));
    change(store, ID, (state) => state);
    const size = statSync(project.at(JOURNAL)).size;
    expect(size).toBeLessThan(140_000);
    expect(size).toBeGreaterThan(120_000);
    const events = store.journal(run);
    expect(events.at(-1)?.event).toBe('updated');
    expect(events.length).toBeGreaterThan(500);
  });

  test('a half line that a killed writer left costs that line only', () => {
    const project = makeProject();
    const store = storeOf(project);
    const run = createRun(store);
    project.write(JOURNAL, `${project.read(JOURNAL)}{"at":"now","event":"ki`);
    change(store, ID, (state) => state);
    expect(store.journal(run).map(({ event }) => event)).toEqual(['started', 'updated']);
  });

  test('that is missing is empty', () => {
    const project = makeProject();
    const run = createRun(storeOf(project));
    rmSync(project.at(JOURNAL));
    expect(storeOf(project).journal(run)).toEqual([]);
  });
});

describe('the memory of sources', () => {
  const entry = { 'CLAUDE.local.md#x': { run_id: 'r', said: { workflow: 'X' } } };

  test('is kept beside the runs, and written only where it changed', () => {
    const project = makeProject();
    const store = storeOf(project);
    store.transaction((tx) => tx.saveSourceRecords(entry));
    expect(store.sourceRecords()).toEqual(entry);
    const before = statSync(project.at(`${STATE}/sources.json`)).ino;
    store.transaction((tx) => tx.saveSourceRecords({ ...tx.sourceRecords }));
    expect(statSync(project.at(`${STATE}/sources.json`)).ino).toBe(before);
  });

  test.each(['{"sources": {"x', 'null', '{"sources": []}', ''])(
    'damaged as %j it is empty, and can be written again',
    (damaged) => {
      const store = storeOf(makeProject({ [`${STATE}/sources.json`]: damaged }));
      expect(store.sourceRecords()).toEqual({});
      store.transaction((tx) => tx.saveSourceRecords(entry));
      expect(store.sourceRecords()).toEqual(entry);
    },
  );

  test('whatever hooks must know of each other is kept and read the same way', () => {
    const project = makeProject();
    const store = storeOf(project);
    const memory: HookState = {
      calls: { a: 1 },
      compactions: { s: { stage: 'due', at: 2 }, t: { stage: 'begun', at: 3, missedAt: 1 } },
      receipts: {},
      undecided: {},
      notices: [],
    };
    store.transaction((tx) => tx.saveHookState(memory));
    expect(store.hookState()).toEqual(memory);
    expect(store.transaction((tx) => tx.hookState)).toEqual(memory);
  });
});

describe('what stands in the way is named', () => {
  test.each(['untracked', STATE, `${STATE}/feature`])('%s is a file', (path) => {
    const project = makeProject({ [path]: 'mine' });
    expect(() => createRun(storeOf(project))).toThrow(
      expect.objectContaining({
        failure: { code: 'blocked_path', path: expect.stringContaining(path) },
      }),
    );
    expect(project.read(path)).toBe('mine');
  });

  test('a project that is gone is not made again', () => {
    const project = makeProject();
    const store = storeOf(project);
    rmSync(project.root, { recursive: true });
    expect(() => createRun(store)).toThrow(saying(/ENOENT/));
    expect(existsSync(project.root)).toBe(false);
    mkdirSync(project.root);
  });

  test('what the file system refuses is said in words', () => {
    const project = makeProject({ project: '' });
    const store = storeOf({ ...project, root: project.at('project') });
    expect(() => createRun(store)).toThrow(
      expect.objectContaining({
        failure: { code: 'blocked_path', path: expect.stringMatching(/untracked/) },
      }),
    );
  });
});

test('a file set aside is never overwritten by the next', () => {
  const broken = `${STATE}/x/state-x.json`;
  const project = makeProject({ [broken]: '{one' });
  const store = storeOf(project);
  store.transaction((tx) => tx.setAside.length);
  project.write(broken, '{two');
  store.transaction((tx) => tx.setAside.length);
  expect(project.names(`${STATE}/x`).map((name) => project.read(`${STATE}/x/${name}`))).toEqual([
    '{one',
    '{two',
  ]);
});

test('who reads the memory of the hooks without the lock has the former one or the next, whole', () => {
  const project = makeProject();
  const store = storeOf(project);
  const keep = (compactions: HookState['compactions']): void =>
    store.transaction((tx) => tx.saveHookState({ ...tx.hookState, compactions }));
  createRun(store);
  keep({ s1: { stage: 'due', at: NOW.getTime() } });
  const reader = openSync(project.at(`${STATE}/hooks.json`), 'r');
  keep({});
  expect(JSON.parse(readFileSync(reader, 'utf8'))).toMatchObject({ due: { s1: NOW.getTime() } });
  closeSync(reader);
  expect(store.hookState().compactions).toEqual({});
});

test('a run that was just written is as new as the next process finds it', () => {
  const store = storeOf(makeProject());
  const run = createRun(store);
  expect(run.modifiedAt).toBe(store.list().runs[0]?.modifiedAt);
});
