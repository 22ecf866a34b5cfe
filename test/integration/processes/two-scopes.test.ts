import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Scope } from '../../../src/install/plan/scopes.ts';
import { installer } from '../../support/installation.ts';
import { makeRepository, type RepositoryProject } from '../../support/repository.ts';

const SCOPES: Scope[] = ['local', 'project', 'user'];
const PAIRS = SCOPES.flatMap((kept) =>
  SCOPES.filter((scope) => scope !== kept).map((removed) => ({ kept, removed })),
);
const ORDERS = PAIRS.flatMap((pair) => [
  { ...pair, first: pair.kept, second: pair.removed },
  { ...pair, first: pair.removed, second: pair.kept },
]);
const ALL = { withServer: true, withStatusLine: true };
const SETTINGS = '{\n  "model":   "opus",\n "statusLine": {"type":"command","command":"echo"} }\n';

/** With settings of the user's own in every scope. */
function repository(): RepositoryProject {
  const project = makeRepository({
    '.claude/settings.json': SETTINGS,
    '.claude/settings.local.json': SETTINGS,
  });
  project.write('../outside/home/.claude/settings.json', SETTINGS);
  return project;
}

function init(project: RepositoryProject, scope: Scope): void {
  installer(project, scope).init('1.0.0', false, ALL);
}

/** As the command does it: what the local installation shared with the project's is written again. */
function uninstall(project: RepositoryProject, scope: Scope): void {
  const { installs } = installer(project, scope).uninstall().installs;
  if (scope === 'project' && installs.some((install) => install.scope === 'local'))
    installer(project, 'local').init();
}

/** Every file of the project and of the user, without holdfast's own records. */
function filesOf({ root, outside }: RepositoryProject): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (base: string, folder: string): void => {
    for (const name of readdirSync(join(base, folder))) {
      const path = join(folder, name);
      const isGit = path.startsWith('.git/') && !/^\.git\/info(?:\/exclude)?$/.test(path);
      if (isGit || /installs\.json|backups|\.cache$|package-/.test(path)) continue;
      const full = join(base, path);
      if (lstatSync(full).isDirectory()) visit(base, path);
      // Each project is in a folder of its own, which the client's file names.
      else
        found[path] = readFileSync(full, 'utf8')
          .replaceAll(root, 'ROOT')
          .replaceAll(outside, 'OUT');
    }
  };
  visit(root, '.');
  visit(outside, 'home');
  return found;
}

describe.each(ORDERS)(
  'installed for $first, then for $second, and removed for $removed',
  ({ kept, removed, first, second }) => {
    test('leaves the other whole, byte for byte', () => {
      const alone = repository();
      init(alone, kept);
      const both = repository();
      init(both, first);
      init(both, second);
      uninstall(both, removed);
      expect(filesOf(both)).toEqual(filesOf(alone));
    });

    test('leaves nothing behind once the other is removed, too', () => {
      const project = repository();
      const before = filesOf(project);
      init(project, first);
      init(project, second);
      uninstall(project, removed);
      uninstall(project, kept);
      expect(filesOf(project)).toEqual(before);
    });
  },
);

test('files that git tracks are removed with the project, so that the removal can be committed', () => {
  const project = makeRepository();
  init(project, 'project');
  project.git('add', '.');
  project.git('commit', '-qm', 'hooks');
  init(project, 'local');
  uninstall(project, 'project');
  expect(project.exists('.claude/commands/holdfast')).toBe(false);
  project.git('add', '-A');
  project.git('commit', '-qm', 'no hooks');
  init(project, 'local');
  expect(project.names('.claude/commands/holdfast')).toContain('status.md');
  expect(project.git('status', '--porcelain')).toBe('');
});
