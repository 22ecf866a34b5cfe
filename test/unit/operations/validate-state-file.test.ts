import { expect, test } from 'vitest';
import { describeDefect } from '../../../src/errors/problems.ts';
import { checkStateFile } from '../../../src/operations/validate-state-file.ts';
import { minimalState } from '../../support/state.ts';

const problemsOf = (critical_artifacts: unknown): string[] =>
  checkStateFile(JSON.stringify({ ...minimalState, critical_artifacts })).map(({ defect }) =>
    describeDefect(defect),
  );

test('artifacts may be declared in a state file, or only changed', () => {
  const spec = { id: 'spec', type: 'markdown', path: 'docs/spec.md', reload_triggers: ['manual'] };
  expect(problemsOf({ always_load: [spec], phase_specific: [] })).toEqual([]);
  expect(problemsOf({ always_load: [{ id: 'spec', path: 'docs/other.md' }] })).toEqual([]);
});

test('what is wrong with a declaration is named', () => {
  const at = 'critical_artifacts.always_load.0';
  const of = (fields: object): string[] => problemsOf({ always_load: [fields] });
  expect(of({ type: 'json' })).toEqual([`"${at}.id" is missing`]);
  expect(of({ id: 'a b' })).toEqual([
    `"${at}.id" must consist of letters, digits, - and _, at most 100 of them`,
  ]);
  expect(of({ id: 'a', type: 'yaml' })).toEqual([
    `"${at}.type" must be one of json, markdown, directory, work_plugin, skill, git_info, not "yaml"`,
  ]);
  expect(of({ id: 'a', colour: 'red' })).toEqual([`unknown key "${at}.colour"`]);
  expect(of({ id: 'a', path: ' ' })).toEqual([`"${at}.path" must not be blank`]);
  expect(of({ id: 'a', reload_triggers: ['sometimes'] })).toEqual([
    `"${at}.reload_triggers.0" must be session_start, compaction, manual, phase_start:X, phase_transition or phase_transition:A->B, not "sometimes"`,
  ]);
  expect(problemsOf({ always: [] })).toEqual(['unknown key "critical_artifacts.always"']);
});
