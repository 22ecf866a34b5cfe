import { describe, expect, test } from 'vitest';
import { readRecord } from '../../../../src/install/record/record-file.ts';
import { refreshRuntime } from '../../../../src/install/runtime/refresh.ts';
import { RUNTIME_FILES } from '../../../../src/io/runtime-paths.ts';
import { makeProject, type Project } from '../../../support/project.ts';

const INSTALL = {
  scope: 'user',
  root: null,
  edited: [],
  files: [],
  module: [],
  excludes: [],
  rules: [],
};
const EMPTY = JSON.stringify({ runtime: { version: '' }, folders: [], installs: [] });

/** A package, and the copy that an older or newer one has left in the user's folder. */
function updated(copied: string): Project {
  return makeProject({
    ...filesOf('package', 'from the package'),
    ...filesOf('config/holdfast', 'copied'),
    'config/holdfast/installs.json': JSON.stringify({
      runtime: { version: copied },
      folders: ['/x'],
      installs: [INSTALL],
    }),
  });
}

function filesOf(folder: string, content: string): Record<string, string> {
  return Object.fromEntries(RUNTIME_FILES.map((file) => [`${folder}/${file}`, `// ${content}`]));
}

const refresh = (project: Project, version: string, folder = 'package'): void =>
  refreshRuntime(project.at('config'), project.at(folder), version);
const hook = 'config/holdfast/dist/hook.cjs';

describe('after an update of the package', () => {
  test('the hooks follow it, and the record stays', () => {
    const project = updated('1.0.0');
    refresh(project, '1.1.0');
    for (const file of RUNTIME_FILES)
      expect(project.read(`config/holdfast/${file}`)).toBe('// from the package');
    expect(readRecord(project.at('config'))).toEqual({
      runtime: { version: '1.1.0' },
      folders: ['/x'],
      installs: [INSTALL],
    });
    expect(project.names('config/holdfast')).toEqual(['bin', 'dist', 'installs.json']);
  });

  test.each(['1.1.0', '1.2.0', '2.0.0'])(
    '%s is copied already, 1.1.0 changes nothing',
    (copied) => {
      const project = updated(copied);
      const before = project.read('config/holdfast/installs.json');
      refresh(project, '1.1.0');
      expect(project.read(hook)).toBe('// copied');
      expect(project.read('config/holdfast/installs.json')).toBe(before);
    },
  );

  test('an invalid version counts as old', () => {
    const project = updated('who knows');
    refresh(project, '0.1.0');
    expect(project.read(hook)).toBe('// from the package');
  });

  test('a record that is damaged is left as it is, and so are the hooks', () => {
    const project = updated('1.0.0');
    project.write('config/holdfast/installs.json', '{"installs": [{"scope": "lo');
    refresh(project, '9.0.0');
    expect(project.read(hook)).toBe('// copied');
    expect(project.read('config/holdfast/installs.json')).toBe('{"installs": [{"scope": "lo');
    expect(project.names('config/holdfast')).toEqual(['bin', 'dist', 'installs.json']);
  });
});

test('without an installation nothing is written', () => {
  const project = makeProject(filesOf('package', 'from the package'));
  refresh(project, '9.0.0');
  expect(project.names('.')).toEqual(['package']);
});

test('the copy does not copy itself', () => {
  const project = updated('1.0.0');
  refresh(project, '9.0.0', 'config/holdfast');
  expect(readRecord(project.at('config'))?.runtime.version).toBe('1.0.0');
});

describe('where it cannot be written, the command that was called goes on', () => {
  test('a file is in the way', () => {
    const project = makeProject({
      ...filesOf('package', 'from the package'),
      'config/holdfast/installs.json': EMPTY,
      'config/holdfast/dist': 'a file',
    });
    refresh(project, '1.0.0');
    expect(project.read('config/holdfast/dist')).toBe('a file');
    expect(readRecord(project.at('config'))?.runtime.version).toBe('');
  });

  test('the package is not complete', () => {
    const project = makeProject({ 'config/holdfast/installs.json': EMPTY, 'package/file': '' });
    refresh(project, '1.0.0');
    expect(project.names('config/holdfast')).toEqual(['installs.json']);
  });
});
