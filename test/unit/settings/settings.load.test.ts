import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeSettings } from '../../../src/settings/describe-schema-error.ts';
import { loadSettings, DEFAULTS } from '../../../src/settings/settings.ts';
import { makeProject } from '../../support/project.ts';

const FILE = '.claude/holdfast.json';

const load = (root: string) => {
  const { settings, problems } = loadSettings(root);
  return { settings, problems: describeSettings(problems) };
};

test('a project without the file has the defaults', () => {
  expect(load(makeProject().root)).toEqual({ settings: DEFAULTS, problems: [] });
});

test('the file is read, and every problem is named', () => {
  const { root } = makeProject({ [FILE]: '{"reading": {"enforce": "off"}, "x": 1}' });
  expect(load(root)).toEqual({
    settings: { ...DEFAULTS, reading: { enforce: 'off' } },
    problems: ['unknown key "x"; it is ignored'],
  });
});

test('a byte order mark does no harm', () => {
  const { root } = makeProject({ [FILE]: '\uFEFF{"reading": {"enforce": "off"}}' });
  expect(load(root)).toMatchObject({
    settings: { reading: { enforce: 'off' } },
    problems: [],
  });
});

test('a file that lies outside the project is not read, and that is said', () => {
  const project = makeProject();
  writeFileSync(join(project.outside, 'settings.json'), '{"reading": {"enforce": "off"}}');
  project.link(FILE, join(project.outside, 'settings.json'));
  expect(load(project.root)).toEqual({
    settings: DEFAULTS,
    problems: ['not read: outside the project; the defaults are used'],
  });
});
