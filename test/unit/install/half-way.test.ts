import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { applyChanges } from '../../../src/install/apply-changes.ts';
import { installer } from '../../support/installation.ts';
import { makeProject } from '../../support/project.ts';
import { saying } from '../../support/failures.ts';

const SETTINGS = '.claude/settings.local.json';
const EXCLUDE = '.git/info/exclude';

describe('an init that fails half-way changes nothing', () => {
  test('settings that are read-only', () => {
    const project = makeProject({ [SETTINGS]: '{}', [EXCLUDE]: '*.log' });
    chmodSync(project.at(SETTINGS), 0o444);
    const { config, init } = installer(project, 'local');
    expect(() => init()).toThrow(expect.objectContaining({ code: 'not_writable' }));
    expect(project.read(SETTINGS)).toBe('{}');
    expect(project.names('.claude')).toEqual(['settings.local.json']);
    expect(project.read(EXCLUDE)).toBe('*.log');
    expect(existsSync(config)).toBe(false);
  });

  test('a file in the place of a folder', () => {
    const project = makeProject({ '.claude/skills': 'a file', '.git/HEAD': '' });
    const { config, init } = installer(project, 'local');
    expect(() => init()).toThrow(expect.objectContaining({ code: 'blocked_path' }));
    expect(project.names('.claude')).toEqual(['skills']);
    expect(project.names('.git')).toEqual(['HEAD']);
    expect(existsSync(config)).toBe(false);
  });

  test('where another project is installed, that one stays as it was', () => {
    const project = makeProject({ [`two/${SETTINGS}`]: '{}', 'one/x': '' });
    const at = (name: string) => installer({ ...project, root: project.at(name) }, 'local');
    at('one').init();
    const record = project.read('../outside/home/.claude/holdfast/installs.json');
    chmodSync(project.at(`two/${SETTINGS}`), 0o444);
    expect(() => at('two').init()).toThrow();
    expect(project.read('../outside/home/.claude/holdfast/installs.json')).toBe(record);
    expect(project.names('../outside/home/.claude/holdfast')).toEqual([
      'bin',
      'dist',
      'installs.json',
    ]);
    at('one').uninstall();
    expect(project.names('one')).toEqual(['x']);
    expect(existsSync(at('one').config)).toBe(false);
  });
});

test('an uninstall that fails half-way changes nothing', () => {
  const project = makeProject({ [SETTINGS]: '{}', [EXCLUDE]: '*.log' });
  const { init, uninstall } = installer(project, 'local');
  init();
  const installed = [project.read(SETTINGS), project.read(EXCLUDE)];
  chmodSync(project.at(EXCLUDE), 0o444);
  expect(() => uninstall()).toThrow(expect.objectContaining({ code: 'not_writable' }));
  expect([project.read(SETTINGS), project.read(EXCLUDE)]).toEqual(installed);
  expect(project.names('.claude/commands/holdfast')).toHaveLength(13);
  chmodSync(project.at(EXCLUDE), 0o644);
  uninstall();
  expect([project.read(SETTINGS), project.read(EXCLUDE)]).toEqual(['{}', '*.log']);
});

describe('changes', () => {
  test('are made all or not at all', () => {
    const project = makeProject({ a: '1', b: '2', c: '3' });
    const change = (path: string, before: string | null, after: string | null) => ({
      path: project.at(path),
      before,
      after,
    });
    const changes = [
      change('a', '1', 'one'),
      change('b', '2', null),
      change('d', null, 'new'),
      change('c', 'another', 'three'),
    ];
    expect(() => applyChanges(changes)).toThrow(
      expect.objectContaining({ code: 'changed_meanwhile' }),
    );
    expect(project.names('.')).toEqual(['a', 'b', 'c']);
    expect(['a', 'b', 'c'].map(project.read)).toEqual(['1', '2', '3']);
  });

  test('that cannot be undone are reported', () => {
    const project = makeProject({ a: '1', b: '2' });
    const removal = { path: project.at('a'), before: '1', after: null };
    const stale = {
      path: project.at('b'),
      after: 'new',
      /** Looked at when the removal is done: from then on a folder is in the way. */
      get before() {
        mkdirSync(project.at('a'));
        return 'another';
      },
    };
    expect(() => applyChanges([removal, stale])).toThrow(
      saying(
        `${project.at('a')} could not be restored (${project.at('a')} exists but is not a file)`,
      ),
    );
  });
});

test('an init that can tidy up nothing any more is complete', () => {
  const project = makeProject({ [SETTINGS]: '{"hooks": {}}', '.git/HEAD': '' });
  const { config, init, uninstall } = installer(project, 'local');
  const inTheWay = `${config}/holdfast/backups/0123456789abcd-x`;
  mkdirSync(inTheWay, { recursive: true });
  init();
  expect(project.read(SETTINGS)).toContain('PreCompact');
  rmSync(inTheWay, { recursive: true });
  uninstall();
  expect(project.read(SETTINGS)).toBe('{"hooks": {}}');
});
