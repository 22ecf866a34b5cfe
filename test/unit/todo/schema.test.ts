import { expect, test } from 'vitest';
import { describeDefect } from '../../../src/errors/problems.ts';
import { checkStateFile } from '../../../src/operations/validate-state-file.ts';
import { aState } from '../../support/runs.ts';

const problemsOf = (todo: object): string[] =>
  checkStateFile(JSON.stringify({ ...aState(), todo })).map(({ defect }) => describeDefect(defect));

test('a run says which list it wrote to, and whether that is its own', () => {
  expect(problemsOf({ path: 'TODO.md', owned: true, digest: '0f', mine: 1 })).toEqual([]);
});

test.each([
  [{ owned: true }, '"todo.path" is missing'],
  [{ path: 'TODO.md' }, '"todo.owned" is missing'],
  [{ path: ' ', owned: true }, '"todo.path" must not be blank'],
  [{ path: 'TODO.md', owned: 'yes' }, '"todo.owned" must be true or false, not "yes"'],
])('%j is reported', (todo, expected) => {
  expect(problemsOf(todo)).toEqual([expected]);
});
