import { expect, test } from 'vitest';
import { addTodo } from '../../../src/commands/todo.ts';
import type { Transaction } from '../../../src/state/store/store.ts';
import { letTimePass } from '../../support/lock.ts';
import { makeProject } from '../../support/project.ts';
import { createRun, LOCK, storeOf } from '../../support/store.ts';
import { contextOf, stateOf } from '../../unit/guidance/todo/support.ts';

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
