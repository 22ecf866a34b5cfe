import { describe, expect, test } from 'vitest';
import { addTodo, finishTodo, setTodo, showTodo } from '../../../src/operations/todo.ts';
import { DEFAULTS } from '../../../src/settings/settings.ts';
import { letTimePass } from '../../support/lock.ts';
import { makeProject } from '../../support/project.ts';
import { heldBy } from '../../support/runs.ts';
import { compile } from '../../support/child.ts';
import { change, createRun, LOCK, storeOf } from '../../support/store.ts';
import { deskOf, stateOf } from './support.ts';
import { saying } from '../../support/failures.ts';

const BY_HAND = '# Todo\n\n- [x] design\n- [ ] build\n';
const OURS = '- [ ] ours\n';
const asked = { force: false };

describe('without any run', () => {
  test('the list is shown', () => {
    expect(showTodo(deskOf(makeProject({ 'TODO.md': BY_HAND })))).toEqual({
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
    expect(showTodo(deskOf(project))).toMatchObject({ items: [], total: 0 });
    expect(project.names('.')).toEqual([]);
  });

  test('it can be written', () => {
    const project = makeProject();
    const desk = deskOf(project);
    expect(setTodo(desk, '- [ ] a', asked)).toMatchObject({ total: 1 });
    expect(addTodo(desk, 'b').item).toEqual({ n: 2, text: 'b', done: false });
    expect(finishTodo(desk, 1)).toMatchObject({ isChanged: true, list: { done: 1, total: 2 } });
    expect(project.read('TODO.md')).toBe('- [x] a\n- [ ] b\n');
  });
});

test('the file is the one that the settings name, in one spelling', () => {
  const project = makeProject();
  const desk = deskOf(project, { settings: { ...DEFAULTS, todo: { file: './docs//list.md' } } });
  expect(addTodo(desk, 'a').list.path).toBe('docs/list.md');
  expect(project.read('docs/list.md')).toBe('- [ ] a\n');
});

describe('what cannot be done makes nothing', () => {
  const refused: [
    what: string,
    work: (desk: ReturnType<typeof deskOf>) => unknown,
    said: string,
  ][] = [
    [
      'a number that there is not',
      (desk) => finishTodo(desk, 3),
      'there is no item 3: TODO.md has 2',
    ],
    ['item 0', (desk) => finishTodo(desk, 0), 'there is no item 0: TODO.md has 2'],
    ['a blank item', (desk) => addTodo(desk, ' \n'), 'invalid value " \n" for todo add'],
    ['a blank list', (desk) => setTodo(desk, ' \n', asked), 'invalid value "" for todo set'],
    [
      'binary data',
      (desk) => setTodo(desk, 'a\0', { force: true }),
      'invalid value of binary data for todo set',
    ],
    ['a list that others wrote', (desk) => setTodo(desk, OURS, asked), 'TODO.md has content that'],
  ];
  test.each(refused)('%s', (_what, work, said) => {
    const project = makeProject({ 'TODO.md': BY_HAND });
    expect(() => work(deskOf(project))).toThrow(saying(said));
    expect(project.read('TODO.md')).toBe(BY_HAND);
    expect(project.names('.')).toEqual(['TODO.md']);
  });

  test('a file that ends within code takes no item', () => {
    const project = makeProject({ 'TODO.md': '```\n' });
    expect(() => addTodo(deskOf(project), 'a')).toThrow(
      saying('TODO.md ends inside a code block or a comment'),
    );
  });

  test('a list without items is told how to begin', () => {
    const finish = (): unknown => finishTodo(deskOf(makeProject()), 1);
    expect(finish).toThrow(
      saying(
        'there is no item 1: TODO.md has 0; add the first one with `holdfast todo add <text>`',
      ),
    );
  });

  test('an item that is ticked stays so, and its run is not concerned', () => {
    const project = makeProject({ 'TODO.md': BY_HAND });
    const desk = deskOf(project);
    const { runId } = createRun(desk.store);
    expect(finishTodo(desk, 1)).toMatchObject({ isChanged: false, item: { text: 'design' } });
    expect(stateOf(desk, runId).todo).toBeUndefined();
    expect(project.read('TODO.md')).toBe(BY_HAND);
  });
});

describe('the run that writes adopts the file', () => {
  const writes: [
    what: string,
    work: (desk: ReturnType<typeof deskOf>) => unknown,
    owned: boolean,
  ][] = [
    ['add', (desk) => addTodo(desk, 'review'), false],
    ['done', (desk) => finishTodo(desk, 2), false],
    ['set', (desk) => setTodo(desk, OURS, { force: true }), true],
  ];
  test.each(writes)(
    'by %s in a terminal, where it is the only active one',
    (_what, work, owned) => {
      const desk = deskOf(makeProject({ 'TODO.md': BY_HAND }));
      createRun(desk.store, { workflow: 'Paused', status: 'paused' });
      const { runId } = createRun(desk.store, { mine: 'kept' });
      work(desk);
      expect(stateOf(desk, runId)).toMatchObject({
        todo: { path: 'TODO.md', owned },
        adopted: true,
        mine: 'kept',
      });
    },
  );

  test('in a session, where that holds it', () => {
    const project = makeProject();
    const desk = deskOf(project, { session: 's1' });
    const mine = createRun(desk.store, { workflow: 'Mine', ...heldBy('s1') });
    const other = createRun(desk.store, { workflow: 'Other', ...heldBy('s2') });
    addTodo(desk, 'a');
    expect(stateOf(desk, mine.runId).todo).toMatchObject({ path: 'TODO.md', owned: false });
    expect(stateOf(desk, other.runId).todo).toBeUndefined();
    expect(desk.store.journal(mine).at(-1)).toMatchObject({
      event: 'todo added',
      item: 'a',
      session_id: 's1',
    });
  });

  test('not where the session holds none, or a terminal has several to choose from', () => {
    const project = makeProject();
    const store = storeOf(project);
    const run = createRun(store);
    addTodo(deskOf(project, { session: 's1' }), 'a');
    createRun(store, { workflow: 'Second' });
    addTodo(deskOf(project), 'b');
    expect(stateOf(deskOf(project), run.runId).todo).toBeUndefined();
    expect(project.read('TODO.md')).toBe('- [ ] a\n- [ ] b\n');
  });
});

describe('set replaces the whole content', () => {
  const withRun = () => {
    const project = makeProject();
    const desk = deskOf(project);
    return { project, desk, run: createRun(desk.store) };
  };

  test('of a file that is new or blank', () => {
    const { project, desk } = withRun();
    project.write('TODO.md', ' \n');
    setTodo(desk, '- [ ] a\r\n- [ ] b', asked);
    expect(project.read('TODO.md')).toBe('- [ ] a\r\n- [ ] b\n');
  });

  test('of a file that came from set, whatever was added and ticked since', () => {
    const { project, desk } = withRun();
    setTodo(desk, OURS, asked);
    addTodo(desk, 'more');
    finishTodo(desk, 1);
    setTodo(desk, '- [ ] again\n', asked);
    expect(project.read('TODO.md')).toBe('- [ ] again\n');
  });

  test('also where the ticks came from a terminal that stands for no run', () => {
    const { project, desk, run } = withRun();
    setTodo(desk, OURS, asked);
    const second = createRun(desk.store, { workflow: 'Second' });
    finishTodo(desk, 1);
    change(desk.store, second.runId, (state) => ({ ...state, status: 'paused' }));
    setTodo(desk, '- [ ] again\n', asked);
    expect(project.read('TODO.md')).toBe('- [ ] again\n');
    expect(stateOf(desk, run.runId).todo).toMatchObject({ owned: true });
  });

  test('not once somebody else has changed it', () => {
    const { project, desk, run } = withRun();
    setTodo(desk, OURS, asked);
    project.write('TODO.md', `${OURS}- [ ] by hand\n`);
    addTodo(desk, 'more');
    expect(() => setTodo(desk, '- [ ] again\n', asked)).toThrow(saying('TODO.md has content'));
    expect(stateOf(desk, run.runId).todo).toMatchObject({ owned: false });
    expect(project.read('TODO.md')).toBe(`${OURS}- [ ] by hand\n- [ ] more\n`);
    setTodo(desk, '- [ ] again\n', { force: true });
    setTodo(desk, '- [ ] and again\n', asked);
    expect(project.read('TODO.md')).toBe('- [ ] and again\n');
  });

  test('not a file that add has made: its items may be anybody’s', () => {
    const { desk } = withRun();
    addTodo(desk, 'a');
    expect(() => setTodo(desk, OURS, asked)).toThrow(saying('TODO.md has content'));
  });

  test('not the list of another active run, but that of one that is over', () => {
    const project = makeProject();
    const first = deskOf(project, { session: 's1' });
    const second = deskOf(project, { session: 's2' });
    const { runId } = createRun(first.store, { workflow: 'First', ...heldBy('s1') });
    createRun(first.store, { workflow: 'Second', ...heldBy('s2') });
    setTodo(first, OURS, asked);
    expect(() => setTodo(second, '- [ ] theirs\n', asked)).toThrow(saying('TODO.md has content'));
    first.store.transaction((tx) => {
      const run = tx.runs.find((candidate) => candidate.runId === runId);
      if (run === undefined) throw new Error('the run is gone');
      tx.end(run, { ...run.state, status: 'completed' }, { event: 'completed' }, { purge: false });
    });
    setTodo(second, '- [ ] theirs\n', asked);
    expect(project.read('TODO.md')).toBe('- [ ] theirs\n');
  });

  test('by what it is already: then nothing is lost', () => {
    const project = makeProject({ 'TODO.md': BY_HAND });
    expect(setTodo(deskOf(project), BY_HAND, asked)).toMatchObject({ total: 2 });
  });
});

test('a record that a person wrote by hand in another form is no reason to stumble', () => {
  const project = makeProject({ 'TODO.md': BY_HAND });
  const desk = deskOf(project);
  const { runId, path } = createRun(desk.store);
  for (const todo of ['buy milk', null, 7, ['a'], { path: 5, owned: 'yes' }]) {
    const state = stateOf(desk, runId);
    project.write(path, JSON.stringify({ ...state, todo }));
    addTodo(deskOf(project), 'more');
    expect(stateOf(desk, runId).todo).toMatchObject({ path: 'TODO.md', owned: false });
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
    const desk = { root, cwd: root, session: null, claudePid: undefined, config: root, environment: {},
      settings: DEFAULTS, store, by: 'cli' as const, warn: () => {}, now, hostname: 'here' };
    for (let n = 0; n < 15; n += 1) addTodo(desk, name + n);
  `);
  const writers = ['a', 'b', 'c'].map((name) => script.start(project.root, name));
  await Promise.all(writers.map((writer) => writer.end()));
  const texts = showTodo(deskOf(project)).items.map(({ text }) => text);
  expect(new Set(texts).size).toBe(45);
  expect(project.names('.')).toEqual(['TODO.md', 'untracked']);
});

test('an item is added once, also where the lock is lost and the work begins again', () => {
  const project = makeProject();
  const desk = deskOf(project);
  const { runId } = createRun(desk.store);
  const list = desk.store.list.bind(desk.store);
  let looks = 0;
  desk.store.list = () => {
    looks += 1;
    // The second look is the one under the lock, which somebody takes away meanwhile.
    if (looks === 2) {
      letTimePass(project.at(LOCK), 60);
      storeOf(project).transaction(() => null);
    }
    return list();
  };
  addTodo(desk, 'once');
  expect(looks).toBe(3);
  expect(project.read('TODO.md')).toBe('- [ ] once\n');
  expect(stateOf(desk, runId).todo).toMatchObject({ path: 'TODO.md' });
});
