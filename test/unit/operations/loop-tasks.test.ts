import { expect, test } from 'vitest';
import { advanceRun } from '../../../src/operations/advance.ts';
import { loopTasks } from '../../../src/operations/loop-tasks.ts';
import { setLoopTasks } from '../../../src/operations/set-tasks.ts';
import { startRun } from '../../../src/operations/start.ts';
import { makeProject } from '../../support/project.ts';
import { action, aTemplate, loop, sub } from '../../support/templates.ts';
import { begun, contextIn } from './support.ts';

test('the tasks that a loop has are those that it was given by the same name, whichever step walks it', async () => {
  const context = contextIn(makeProject());
  const steps = [loop('first', { loop: 'work' }), action('mid'), loop('second', { loop: 'work' })];
  const template = aTemplate(steps, { loops: { work: [sub('do')] } });
  startRun(context, begun(template), { switches: false });
  const titles = (id: string): string[] =>
    loopTasks(context, undefined, id).tasks.map(({ title }) => title);
  setLoopTasks(context, undefined, 'work', [{ title: 'one' }]);
  expect(titles('work')).toEqual(['one']);
  await advanceRun(context, undefined, { artefacts: [] });
  setLoopTasks(context, undefined, 'work', [{ title: 'two' }]);
  expect(titles('work')).toEqual(['two']);
  expect(titles('first')).toEqual(['one']);
  expect(titles('second')).toEqual(['two']);
});
