import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readInstalls, writeInstalls } from '../../../src/install/apply.ts';
import {
  findInstall,
  installsFrom,
  withInstall,
  withoutInstall,
  type Install,
  type Installs,
} from '../../../src/install/record.ts';
import { makeProject } from '../../support/project.ts';

const NONE: Installs = { runtime: { version: '' }, installs: [] };

function anInstall(fields: Partial<Install> = {}): Install {
  return { scope: 'local', root: '/a', edited: [], folders: [], excluded: [], ...fields };
}

const full = anInstall({
  edited: [
    { path: '/a/.claude/settings.local.json', backup: null, written: '0a' },
    { path: '/a/.git/info/exclude', backup: '/c/backups/exclude', written: '0b' },
  ],
  folders: ['/a/.claude'],
  excluded: [{ file: '/a/.git/info/exclude', pattern: '/.claude/settings.local.json' }],
});

describe('the record of installations is read', () => {
  test('as it was written', () => {
    const project = makeProject();
    const installs = { runtime: { version: '1.2.3' }, installs: [full] };
    writeInstalls(project.root, installs);
    expect(readInstalls(project.root)).toEqual(installs);
  });

  test.each([
    ['missing', null],
    ['empty', ''],
    ['cut off', '{"installs": [{"sco'],
    ['not JSON', 'no'],
    ['of zeros', '\0'.repeat(50)],
    ['not even text', new Uint8Array([0xff, 0xfe, 0x80])],
    ['of another kind', '[]'],
    ['of another form', '{"installs": {"a": 1}, "runtime": "1.0.0"}'],
  ])('as empty where it is %s', (_what, content) => {
    const project = makeProject();
    if (content !== null) project.write('holdfast/installs.json', content);
    expect(readInstalls(project.root)).toEqual(NONE);
  });

  test.each<[string, object]>([
    ['an unknown scope', { scope: 'planet' }],
    ['no root', { root: undefined }],
    ['a root that is no path', { root: 1 }],
    ['files that are no list', { edited: {} }],
    ['a file without a digest', { edited: [{ path: '/a', backup: null }] }],
    ['a backup that is no path', { edited: [{ path: '/a', backup: 1, written: '' }] }],
    ['folders that are no paths', { folders: [null] }],
    ['a pattern without a file', { excluded: [{ pattern: '/x' }] }],
  ])('without an entry that has %s; the others stay', (_what, fields) => {
    const json = { runtime: { version: '1.0.0' }, installs: [{ ...full, ...fields }, full] };
    expect(installsFrom(json)).toEqual({ runtime: { version: '1.0.0' }, installs: [full] });
  });

  test('whatever its shape, as something that can be used', () => {
    const odd = fc.oneof(fc.jsonValue(), fc.constant(full), fc.constant(undefined));
    const shapes = fc.oneof(
      odd,
      fc.record({ runtime: odd, installs: fc.oneof(odd, fc.array(odd)) }, { requiredKeys: [] }),
      fc
        .record({ scope: odd, root: odd, edited: odd, folders: odd, excluded: odd })
        .map((install) => ({ installs: [install] })),
    );
    fc.assert(
      fc.property(shapes, (json) => {
        const installs = installsFrom(json);
        expect(installsFrom(JSON.parse(JSON.stringify(installs)))).toEqual(installs);
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

  test('takes the place of the former one of the same scope and project only', () => {
    const again = anInstall({ folders: ['/a/new'] });
    expect(withInstall(all, again).installs).toEqual([b, shared, user, again]);
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

  describe('of several that changed the same file', () => {
    const exclude = (root: string, backup: string | null): Install =>
      anInstall({ root, edited: [{ path: '/exclude', backup, written: root }] });
    const three: Installs = {
      ...NONE,
      installs: [exclude('/a', null), exclude('/b', 'with a'), exclude('/c', 'with a and b')],
    };
    const backupsWithout = (root: string): (string | null | undefined)[] =>
      withoutInstall(three, 'local', root).installs.map(({ edited }) => edited[0]?.backup);

    test('those after it go back to what it had found', () => {
      expect(backupsWithout('/a')).toEqual([null, null]);
    });

    test('those before it do not: what it had found has their work in it', () => {
      expect(backupsWithout('/b')).toEqual([null, 'with a']);
      expect(backupsWithout('/c')).toEqual([null, 'with a']);
    });
  });
});
