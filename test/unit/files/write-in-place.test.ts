import { expect, test } from 'vitest';
import { appendLine } from '../../../src/files/atomic-write.ts';
import { makeProject } from '../../support/project.ts';

test('a half line that a killed writer left is closed first', () => {
  const project = makeProject({ 'journal.jsonl': 'one\n{"ev' });
  expect(appendLine(project.at('journal.jsonl'), 'two')).toBe(13);
  expect(project.read('journal.jsonl')).toBe('one\n{"ev\ntwo\n');
});

test('a FIFO does not make it wait', () => {
  const project = makeProject();
  project.fifo('journal.jsonl');
  expect(() => appendLine(project.at('journal.jsonl'), 'one')).not.toThrow();
});
