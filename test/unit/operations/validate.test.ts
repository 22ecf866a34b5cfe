import { expect, test } from 'vitest';
import { describeDefect } from '../../../src/errors/problems.ts';
import { validateFiles } from '../../../src/operations/validate.ts';
import { makeProject } from '../../support/project.ts';
import { minimalPath, minimalState } from '../../support/state.ts';
import { contextIn } from './support.ts';

const state = JSON.stringify(minimalState);
const template = '{"name": "T", "description": "d", "steps": []}';

function problems(tree: Record<string, string>, files: string[]): string[] {
  const found = validateFiles(contextIn(makeProject(tree)), files).problems;
  return found.map(({ file, defect }) => `${file}: ${describeDefect(defect)}`);
}

test.each([
  ['.claude/holdfast.json', '{"workflow": "x"}', /unknown key "workflow"/],
  [minimalPath, '{"steps": []}', /"workflow" is missing/],
  ['.claude/holdfast/workflows/t.json', state, /unknown key/],
])('%s is checked by its place', (path, content, message) => {
  expect(problems({ [path]: content }, [path]).join('\n')).toMatch(message);
});

test.each([
  ['{"restore": {"startup": "never"}}', /"restore.startup" must be one of/],
  ['{"workflow": ""}', /"workflow" must not be blank/],
  [template, /steps/],
])('a file elsewhere is checked by its keys: %s', (content, message) => {
  expect(problems({ 'x.json': content }, ['x.json']).join('\n')).toMatch(message);
});

test('without files the settings are checked, too', () => {
  expect(problems({ '.claude/holdfast.json': '{"colour": "red"}' }, [])).toEqual([
    '.claude/holdfast.json: unknown key "colour"',
  ]);
});

test('phases count from 1', () => {
  const phase = { ...minimalState.phase, current: 0 };
  const content = JSON.stringify({ ...minimalState, phase });
  expect(problems({ [minimalPath]: content }, [])).toEqual([
    `${minimalPath}: "phase.current" must be at least 1, not 0`,
  ]);
});

test('a run id that does not count is reported with the one that does', () => {
  const withId = (id: string): string => JSON.stringify({ ...minimalState, run_id: id });
  const other = minimalPath.replaceAll('release-process', 'other');
  expect(problems({ [minimalPath]: withId('mine') }, [])).toEqual([]);
  expect(problems({ [minimalPath]: withId('not mine') }, [])).toEqual([
    expect.stringContaining("the file's name counts: release-process-20251209_143052"),
  ]);
  expect(problems({ [minimalPath]: withId('mine'), [other]: withId('mine') }, [])).toEqual([
    expect.stringContaining('"run_id" is not unique'),
    expect.stringContaining('"run_id" is not unique'),
  ]);
});
