import { describe, expect, test } from 'vitest';
import { addTodo, finishTodo, setTodo, showTodo } from '../../../src/operations/todo.ts';
import { DEFAULTS } from '../../../src/settings/settings.ts';
import type { Transaction } from '../../../src/state/store/store.ts';
import { letTimePass } from '../../support/lock.ts';
import { makeProject } from '../../support/project.ts';
import { heldBy } from '../../support/runs.ts';
import { compile } from '../../support/child.ts';
import { change, createRun, LOCK, storeOf } from '../../support/store.ts';
import { contextOf, stateOf } from '../../unit/todo/support.ts';
import { saying } from '../../support/failures.ts';

const BY_HAND = '# Todo\n\n- [x] design\n- [ ] build\n';
const OURS = '- [ ] ours\n';
const asked = { force: false };

describe('without any run', () => {
  test('the list is shown', () => {
    expect(showTodo(contextOf(makeProject({ 'TODO.md': BY_HAND })))).toEqual({
      path: 'TODO.md',
      items: [
        { n: 1, text: 'design', done: true },
        { n: 2, text: 'build', done: false },
      ],
      done: 1,
      total: 2,
    });
  });

  test('a list that is not there is empty, and looking makes nothing', () => {
    const project = makeProject();
    expect(showTodo(contextOf(project))).toMatchObject({ items: [], total: 0 });
    expect(project.names('.')).toEqual([]);
  });

  test('it can be written', () => {
    const project = makeProject();
    const context = contextOf(project);
    expect(setTodo(context, '- [ ] a', asked)).toMatchObject({ total: 1 });
    expect(addTodo(context, 'b').item).toEqual({ n: 2, text: 'b', done: false });
    expect(finishTodo(context, 1)).toMatchObject({ isChanged: true, list: { done: 1, total: 2 } });
    expect(project.read('TODO.md')).toBe('- [x] a\n- [ ] b\n');
  });

  test('a list that came from set can be set again, whatever was added and ticked since', () => {
    const project = makeProject();
    const context = contextOf(project);
    setTodo(context, OURS, asked);
    addTodo(context, 'more');
    finishTodo(context, 1);
    setTodo(context, '- [ ] again\n', asked);
    expect(project.read('TODO.md')).toBe('- [ ] again\n');
  });

  test('a list that somebody has changed since cannot be set again', () => {
    const project = makeProject();
    const context = contextOf(project);
    setTodo(context, OURS, asked);
    project.write('TODO.md', BY_HAND);
    addTodo(context, 'more');
    expect(() => setTodo(context, OURS, asked)).toThrow(saying('TODO.md has content that'));
  });

  test('the list of an active run stays that run’s', () => {
    const project = makeProject();
    const holder = contextOf(project, { session: 's1' });
    setTodo(contextOf(project), OURS, asked);
    const { runId } = createRun(holder.store, heldBy('s1'));
    setTodo(holder, '- [ ] of the run\n', asked);
    const other = contextOf(project, { session: 's2' });
    expect(() => setTodo(other, OURS, asked)).toThrow(
      saying(`TODO.md is the list of the run ${runId}`),
    );
  });
});

test('the file is the one that the settings name, in one spelling', () => {
  const project = makeProject();
  const context = contextOf(project, {
    settings: { ...DEFAULTS, todo: { file: './docs//list.md' } },
  });
  expect(addTodo(context, 'a').list.path).toBe('docs/list.md');
  expect(project.read('docs/list.md')).toBe('- [ ] a\n');
});

describe('a refused change creates nothing', () => {
  const refused: [
    what: string,
    work: (context: ReturnType<typeof contextOf>) => unknown,
    expected: string,
  ][] = [
    [
      'a number that there is not',
      (context) => finishTodo(context, 3),
      'there is no item 3: TODO.md has 2',
    ],
    ['item 0', (context) => finishTodo(context, 0), 'there is no item 0: TODO.md has 2'],
    ['a blank item', (context) => addTodo(context, ' \n'), 'invalid value " \n" for todo add'],
    ['a blank list', (context) => setTodo(context, ' \n', asked), 'the new list is blank'],
    [
      'binary data',
      (context) => setTodo(context, 'a\0', { force: true }),
      'invalid value of binary data for todo set',
    ],
    [
      'a list that others wrote',
      (context) => setTodo(context, OURS, asked),
      'TODO.md has content that',
    ],
  ];
  test.each(refused)('%s', (_what, work, expected) => {
    const project = makeProject({ 'TODO.md': BY_HAND });
    expect(() => work(contextOf(project))).toThrow(saying(expected));
    expect(project.read('TODO.md')).toBe(BY_HAND);
    expect(project.names('.')).toEqual(['TODO.md']);
  });

  test('a file that ends within code takes no item', () => {
    const project = makeProject({ 'TODO.md': '```\n' });
    expect(() => addTodo(contextOf(project), 'a')).toThrow(
      saying('TODO.md ends inside a code block or a comment'),
    );
  });

  test('says how to begin if the list has no items', () => {
    const finish = (): unknown => finishTodo(contextOf(makeProject()), 1);
    expect(finish).toThrow(
      saying(
        'there is no item 1: TODO.md has 0; add the first one with `holdfast todo add <text>`',
      ),
    );
  });

  test('an item that is ticked stays so, and its run is not concerned', () => {
    const project = makeProject({ 'TODO.md': BY_HAND });
    const context = contextOf(project);
    const { runId } = createRun(context.store);
    expect(finishTodo(context, 1)).toMatchObject({ isChanged: false, item: { text: 'design' } });
    expect(stateOf(context, runId).todo).toBeUndefined();
    expect(project.read('TODO.md')).toBe(BY_HAND);
  });
});

describe('the run that writes adopts the file', () => {
  const writes: [
    what: string,
    work: (context: ReturnType<typeof contextOf>) => unknown,
    owned: boolean,
  ][] = [
    ['add', (context) => addTodo(context, 'review'), false],
    ['done', (context) => finishTodo(context, 2), false],
    ['set', (context) => setTodo(context, OURS, { force: true }), true],
  ];
  test.each(writes)('by %s in a terminal, if it is the only active one', (_what, work, owned) => {
    const context = contextOf(makeProject({ 'TODO.md': BY_HAND }));
    createRun(context.store, { workflow: 'Paused', status: 'paused' });
    const { runId } = createRun(context.store, { mine: 'kept' });
    work(context);
    expect(stateOf(context, runId)).toMatchObject({
      todo: { path: 'TODO.md', owned },
      adopted: true,
      mine: 'kept',
    });
  });

  test('in the session that holds it', () => {
    const project = makeProject();
    const context = contextOf(project, { session: 's1' });
    const mine = createRun(context.store, { workflow: 'Mine', ...heldBy('s1') });
    const other = createRun(context.store, { workflow: 'Other', ...heldBy('s2') });
    addTodo(context, 'a');
    expect(stateOf(context, mine.runId).todo).toMatchObject({ path: 'TODO.md', owned: false });
    expect(stateOf(context, other.runId).todo).toBeUndefined();
    expect(context.store.journal(mine).at(-1)).toMatchObject({
      event: 'todo added',
      item: 'a',
      session_id: 's1',
    });
  });

  test('not if the session holds none, or several are active in a terminal', () => {
    const project = makeProject();
    const store = storeOf(project);
    const run = createRun(store);
    addTodo(contextOf(project, { session: 's1' }), 'a');
    createRun(store, { workflow: 'Second' });
    addTodo(contextOf(project), 'b');
    expect(stateOf(contextOf(project), run.runId).todo).toBeUndefined();
    expect(project.read('TODO.md')).toBe('- [ ] a\n- [ ] b\n');
  });
});

describe('set replaces the whole content', () => {
  const withRun = () => {
    const project = makeProject();
    const context = contextOf(project);
    return { project, context, run: createRun(context.store) };
  };

  test('of a file that is new or blank', () => {
    const { project, context } = withRun();
    project.write('TODO.md', ' \n');
    setTodo(context, '- [ ] a\r\n- [ ] b', asked);
    expect(project.read('TODO.md')).toBe('- [ ] a\r\n- [ ] b\n');
  });

  test('of a file that came from set, whatever was added and ticked since', () => {
    const { project, context } = withRun();
    setTodo(context, OURS, asked);
    addTodo(context, 'more');
    finishTodo(context, 1);
    setTodo(context, '- [ ] again\n', asked);
    expect(project.read('TODO.md')).toBe('- [ ] again\n');
  });

  test('even if the ticks came from a terminal without a run', () => {
    const { project, context, run } = withRun();
    setTodo(context, OURS, asked);
    const second = createRun(context.store, { workflow: 'Second' });
    finishTodo(context, 1);
    change(context.store, second.runId, (state) => ({ ...state, status: 'paused' }));
    setTodo(context, '- [ ] again\n', asked);
    expect(project.read('TODO.md')).toBe('- [ ] again\n');
    expect(stateOf(context, run.runId).todo).toMatchObject({ owned: true });
  });

  test('not once somebody else has changed it', () => {
    const { project, context, run } = withRun();
    setTodo(context, OURS, asked);
    project.write('TODO.md', `${OURS}- [ ] by hand\n`);
    addTodo(context, 'more');
    expect(() => setTodo(context, '- [ ] again\n', asked)).toThrow(saying('TODO.md has content'));
    expect(stateOf(context, run.runId).todo).toMatchObject({ owned: false });
    expect(project.read('TODO.md')).toBe(`${OURS}- [ ] by hand\n- [ ] more\n`);
    setTodo(context, '- [ ] again\n', { force: true });
    setTodo(context, '- [ ] and again\n', asked);
    expect(project.read('TODO.md')).toBe('- [ ] and again\n');
  });

  test('not a file that add has made: its items may be anybody’s', () => {
    const { context } = withRun();
    addTodo(context, 'a');
    expect(() => setTodo(context, OURS, asked)).toThrow(saying('TODO.md has content'));
  });

  test('not the list of another active run, but that of one that is over', () => {
    const project = makeProject();
    const first = contextOf(project, { session: 's1' });
    const second = contextOf(project, { session: 's2' });
    const { runId } = createRun(first.store, { workflow: 'First', ...heldBy('s1') });
    createRun(first.store, { workflow: 'Second', ...heldBy('s2') });
    setTodo(first, OURS, asked);
    expect(() => setTodo(second, '- [ ] theirs\n', asked)).toThrow(
      saying(`TODO.md is the list of the run ${runId}`),
    );
    first.store.transaction((tx) => {
      const run = tx.runs.find((candidate) => candidate.runId === runId);
      if (run === undefined) throw new Error('the run is gone');
      tx.end(run, { ...run.state, status: 'completed' }, { event: 'completed' }, { purge: false });
    });
    setTodo(second, '- [ ] theirs\n', asked);
    expect(project.read('TODO.md')).toBe('- [ ] theirs\n');
  });

  test('by the same content: then nothing is lost', () => {
    const project = makeProject({ 'TODO.md': BY_HAND });
    expect(setTodo(contextOf(project), BY_HAND, asked)).toMatchObject({ total: 2 });
  });
});

test('a record that a person wrote by hand in another form is no reason to stumble', () => {
  const project = makeProject({ 'TODO.md': BY_HAND });
  const context = contextOf(project);
  const { runId, path } = createRun(context.store);
  for (const todo of ['buy milk', null, 7, ['a'], { path: 5, owned: 'yes' }]) {
    const state = stateOf(context, runId);
    project.write(path, JSON.stringify({ ...state, todo }));
    addTodo(contextOf(project), 'more');
    expect(stateOf(context, runId).todo).toMatchObject({ path: 'TODO.md', owned: false });
  }
});

test('two writers keep both edits', async () => {
  const project = makeProject();
  const script = compile(`
    import { addTodo } from './operations/todo.ts';
    import { DEFAULTS } from './settings/settings.ts';
    import { Store } from './state/store/store.ts';
    const [, , root = '', name = ''] = process.argv;
    const now = new Date();
    const store = new Store({ root, now: () => now, waitMs: 10_000 });
    const context = { root, cwd: root, session: null, claudePid: undefined, config: root, environment: {},
      settings: DEFAULTS, store, by: 'cli' as const, warn: () => {}, now, hostname: 'here' };
    for (let n = 0; n < 15; n += 1) addTodo(context, name + n);
  `);
  const writers = ['a', 'b', 'c'].map((name) => script.start(project.root, name));
  await Promise.all(writers.map((writer) => writer.end()));
  const texts = showTodo(contextOf(project)).items.map(({ text }) => text);
  expect(new Set(texts).size).toBe(45);
  expect(project.names('.')).toEqual(['TODO.md', 'untracked']);
});

test('an item is added once even if the lock is lost and the transaction runs again', () => {
  const project = makeProject();
  const context = contextOf(project);
  const { runId } = createRun(context.store);
  const transaction = context.store.transaction.bind(context.store);
  let attempts = 0;
  context.store.transaction = <T>(work: (tx: Transaction) => T): T =>
    transaction((tx) => {
      attempts += 1;
      // Another writer takes over the lock, as it seems stale.
      if (attempts === 1) {
        letTimePass(project.at(LOCK), 60);
        storeOf(project).transaction(() => null);
      }
      return work(tx);
    });
  addTodo(context, 'once');
  expect(attempts).toBe(2);
  expect(project.read('TODO.md')).toBe('- [ ] once\n');
  expect(stateOf(context, runId).todo).toMatchObject({ path: 'TODO.md' });
});
