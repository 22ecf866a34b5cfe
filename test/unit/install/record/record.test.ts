import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  installsFrom,
  isWholeRecord,
  type Install,
  type Installs,
} from '../../../../src/install/record/record.ts';
import {
  findInstall,
  othersThan,
  withoutGone,
  withoutInstall,
} from '../../../../src/install/record/record-changes.ts';
import {
  readRecord,
  setAsideIfDamaged,
  writeRecord,
} from '../../../../src/install/record/record-file.ts';
import { makeProject } from '../../../support/project.ts';

const NONE: Installs = { runtime: { version: '' }, installs: [] };

function anInstall(fields: Partial<Install> = {}): Install {
  return {
    scope: 'local',
    root: '/a',
    edited: [],
    files: [],
    folders: [],
    excludes: [],
    ...fields,
  };
}

const full = anInstall({
  edited: [
    { path: '/a/.claude/settings.local.json', backup: null, found: '', written: '0a' },
    { path: '/a/.git/info/exclude', backup: '/c/backups/exclude', found: '0', written: '0b' },
  ],
  folders: ['/a/.claude'],
  excludes: ['/a/.git/info/exclude'],
});

describe('the record of installations is read', () => {
  test('as it was written', () => {
    const project = makeProject();
    const installs = { runtime: { version: '1.2.3' }, installs: [full] };
    writeRecord(project.root, installs);
    expect(readRecord(project.root)).toEqual({ installs, damaged: [] });
  });

  test('with the exclude files of patterns that an older version recorded', () => {
    const { excludes, ...rest } = full;
    const [file] = excludes;
    const excluded = ['/a', '/b/'].map((pattern) => ({ file, pattern }));
    const json = { runtime: { version: '0.1.0' }, installs: [{ ...rest, excluded }] };
    expect(installsFrom(json).installs).toEqual([full]);
    expect(isWholeRecord(json)).toBe(true);
  });

  test('as empty where there is none', () => {
    expect(readRecord(makeProject().root)).toEqual({ installs: NONE, damaged: [] });
  });

  test.each([
    ['empty', ''],
    ['cut off', '{"installs": [{"sco'],
    ['not JSON', 'no'],
    ['of zeros', '\0'.repeat(50)],
    ['not even text', new Uint8Array([0xff, 0xfe, 0x80])],
    ['of another kind', '[]'],
    ['of another form', '{"installs": {"a": 1}, "runtime": "1.0.0"}'],
    ['of nothing', '{}'],
  ])('as empty and damaged where it is %s, and set aside as it is', (_what, content) => {
    const project = makeProject();
    const path = 'holdfast/installs.json';
    project.write(path, content);
    const bytes = project.read(path);
    expect(readRecord(project.root)).toEqual({ installs: NONE, damaged: [project.at(path)] });
    setAsideIfDamaged(project.root);
    const [name = ''] = project.names('holdfast');
    expect(name).toMatch(/^installs\.json\.damaged-\d{8}T\d{6}Z$/);
    expect(project.names('holdfast')).toEqual([name]);
    expect(project.read(`holdfast/${name}`)).toBe(bytes);
    expect(readRecord(project.root).damaged).toEqual([project.at(`holdfast/${name}`)]);
  });

  test('and stays in its place where all of it is understood', () => {
    const project = makeProject();
    writeRecord(project.root, { runtime: { version: '1.2.3' }, installs: [full] });
    setAsideIfDamaged(project.root);
    expect(project.names('holdfast')).toEqual(['installs.json']);
  });

  test.each<[string, object]>([
    ['an unknown scope', { scope: 'planet' }],
    ['no root', { root: undefined }],
    ['a root that is no path', { root: 1 }],
    ['files that are no list', { edited: {} }],
    ['a file without a digest', { edited: [{ path: '/a', backup: null, written: '' }] }],
    ['a backup that is no path', { edited: [{ path: '/a', backup: 1, found: '', written: '' }] }],
    ['a file that is no path', { files: [1] }],
    ['no list of files', { files: undefined }],
    ['folders that are no paths', { folders: [null] }],
    ['an exclude file that is not a path', { excludes: [1] }],
    ['an older pattern without a file', { excluded: [{ pattern: '/x' }] }],
  ])('without an entry that has %s; the others stay', (_what, fields) => {
    const json = { runtime: { version: '1.0.0' }, installs: [{ ...full, ...fields }, full] };
    expect(installsFrom(json)).toEqual({ runtime: { version: '1.0.0' }, installs: [full] });
    expect([isWholeRecord(json), isWholeRecord({ installs: [full] })]).toEqual([false, true]);
  });

  test('whatever its shape, as something that can be used', () => {
    const odd = fc.oneof(fc.jsonValue(), fc.constant(full), fc.constant(undefined));
    const shapes = fc.oneof(
      odd,
      fc.record({ runtime: odd, installs: fc.oneof(odd, fc.array(odd)) }, { requiredKeys: [] }),
      fc
        .record({ scope: odd, root: odd, edited: odd, files: odd, folders: odd, excludes: odd })
        .map((install) => ({ installs: [install] })),
    );
    fc.assert(
      fc.property(shapes, (json) => {
        const installs = installsFrom(json);
        expect(installsFrom(JSON.parse(JSON.stringify(installs)))).toEqual(installs);
        expect(isWholeRecord(installs)).toBe(true);
        expect(typeof installs.runtime.version).toBe('string');
      }),
    );
  });
});

describe('an installation', () => {
  const b = anInstall({ root: '/b' });
  const shared = anInstall({ scope: 'project' });
  const user = anInstall({ scope: 'user', root: null });
  const all: Installs = { runtime: { version: '1.0.0' }, installs: [full, b, shared, user] };

  test('is found by its scope and its project', () => {
    expect(findInstall(all, 'local', '/a')).toBe(full);
    expect(findInstall(all, 'local', '/b')).toBe(b);
    expect(findInstall(all, 'project', '/a')).toBe(shared);
    expect(findInstall(all, 'project', '/b')).toBeUndefined();
  });

  test('of the user is found from every project', () => {
    expect(findInstall(all, 'user', '/a')).toBe(user);
    expect(findInstall(all, 'user', '/z')).toBe(user);
  });

  test('has others beside it: of other scopes and of other projects', () => {
    expect(othersThan(all, 'local', '/a')).toEqual([b, shared, user]);
    expect(othersThan(all, 'user', '/z')).toEqual([full, b, shared]);
  });

  test('goes without the others', () => {
    expect(withoutInstall(all, 'local', '/b').installs).toEqual([full, shared, user]);
    expect(withoutInstall(all, 'user', '/z').installs).toEqual([full, b, shared]);
    expect(withoutInstall(all, 'local', '/z')).toEqual(all);
    expect(withoutInstall({ ...all, installs: [b] }, 'local', '/b').installs).toEqual([]);
  });

  test('leaves the folders it made to another, which takes them away in the end', () => {
    const [heir] = withoutInstall(all, 'local', '/a').installs;
    expect(heir).toEqual({ ...b, folders: full.folders });
  });

  test('goes with its project; that of a user stays', () => {
    const { left, gone } = withoutGone(all, (root) => root === '/a');
    expect(gone).toEqual([full, shared]);
    expect(left.installs).toEqual([{ ...b, folders: full.folders }, user]);
  });

  describe('of several that changed the same file', () => {
    const exclude = (root: string, found: string, backup: string | null): Install =>
      anInstall({ root, edited: [{ path: '/exclude', backup, found, written: root }] });
    const three: Installs = {
      ...NONE,
      installs: [
        exclude('/a', '', null),
        exclude('/b', '/a', 'with a'),
        exclude('/c', '/b', 'with a and b'),
      ],
    };
    const backupsWithout = (root: string): (string | null | undefined)[] =>
      withoutInstall(three, 'local', root).installs.map(({ edited }) => edited[0]?.backup);

    test('the one after it goes back to what it had found, and so on, in any order', () => {
      expect(backupsWithout('/a')).toEqual([null, 'with a and b']);
      const without = (...roots: string[]): Installs =>
        roots.reduce((installs, root) => withoutInstall(installs, 'local', root), three);
      for (const [last] of [without('/a', '/b'), without('/b', '/a')].map((left) => left.installs))
        expect(last?.edited[0]).toMatchObject({ backup: null, written: '/c' });
    });

    test('not where the file was edited between the two: only the later backup has that edit', () => {
      const edited = { ...NONE, installs: [exclude('/a', '', null), exclude('/b', 'x', 'edited')] };
      const [left] = withoutInstall(edited, 'local', '/a').installs;
      expect(left?.edited[0]?.backup).toBe('edited');
    });

    test('those before it do not: what it had found has their work in it', () => {
      expect(backupsWithout('/b')).toEqual([null, 'with a']);
      expect(backupsWithout('/c')).toEqual([null, 'with a']);
    });
  });
});
