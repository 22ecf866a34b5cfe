import { describe, expect, test } from 'vitest';
import {
  findInstall,
  othersThan,
  type Install,
  type Installs,
} from '../../../../src/install/record/record.ts';
import {
  readRecord,
  requireRecord,
  writeRecord,
} from '../../../../src/install/record/record-file.ts';
import { makeProject } from '../../../support/project.ts';
import { saying } from '../../../support/failures.ts';

function anInstall(fields: Partial<Install> = {}): Install {
  return {
    scope: 'local',
    root: '/a',
    edited: [{ path: '/a/.claude/settings.local.json', backup: null, written: '0a' }],
    files: [],
    module: [],
    excludes: ['/a/.git/info/exclude'],
    rules: [],
    ...fields,
  };
}

const a = anInstall();
const b = anInstall({ root: '/b' });
const shared = anInstall({ scope: 'project' });
const user = anInstall({ scope: 'user', root: null });
const all: Installs = {
  runtime: { version: '1.2.3' },
  folders: ['/a/.claude'],
  installs: [a, b, shared, user],
};

describe('the record of installations is read', () => {
  test('as it was written', () => {
    const project = makeProject();
    writeRecord(project.root, all);
    expect(requireRecord(project.root)).toEqual(all);
  });

  test('as empty where there is none', () => {
    const none = { runtime: { version: '' }, folders: [], installs: [] };
    expect(requireRecord(makeProject().root)).toEqual(none);
  });

  test.each([
    ['empty', ''],
    ['cut off', '{"installs": [{"sco'],
    ['of zeros', '\0'.repeat(50)],
    ['not even text', new Uint8Array([0xff, 0xfe, 0x80])],
    ['of another kind', '[]'],
    ['of another form', '{"installs": {"a": 1}, "runtime": "1.0.0"}'],
    ['of other entries', '{"runtime": {"version": ""}, "folders": [], "installs": [{}]}'],
  ])('never in part: where it is %s, a sentence says what to do', (_what, content) => {
    const project = makeProject();
    const path = 'holdfast/installs.json';
    project.write(path, content);
    const bytes = project.read(path);
    expect(readRecord(project.root)).toBeNull();
    expect(() => requireRecord(project.root)).toThrow(saying(`${project.at(path)} is damaged`));
    expect(project.read(path)).toBe(bytes);
  });
});

describe('an installation', () => {
  test('is found by its scope and its project, that of the user from every project', () => {
    expect(findInstall(all, 'local', '/a')).toBe(a);
    expect(findInstall(all, 'local', '/b')).toBe(b);
    expect(findInstall(all, 'project', '/a')).toBe(shared);
    expect(findInstall(all, 'project', '/b')).toBeUndefined();
    expect(findInstall(all, 'user', '/z')).toBe(user);
  });

  test('has others beside it: of other scopes and of other projects', () => {
    expect(othersThan(all, 'local', '/a')).toEqual([b, shared, user]);
    expect(othersThan(all, 'user', '/z')).toEqual([a, b, shared]);
    expect(othersThan(all, 'local', '/z')).toEqual(all.installs);
  });
});
