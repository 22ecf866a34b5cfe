import { expect, test } from 'vitest';
import { addTodo } from '../../../src/commands/todo.ts';
import { readTodoList } from '../../../src/guidance/todo/file.ts';
import type { Transaction } from '../../../src/state/store/store.ts';
import { letTimePass } from '../../support/lock.ts';
import { makeProject } from '../../support/project.ts';
import { compile } from '../../support/child.ts';
import { createRun, LOCK, storeOf } from '../../support/store.ts';
import { contextOf, stateOf } from '../../unit/guidance/todo/support.ts';

test('two writers keep both edits', async () => {
  const project = makeProject();
  const script = compile(`
    import { addTodo } from './commands/todo.ts';
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
  const texts = readTodoList(contextOf(project)).items.map(({ text }) => text);
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
