import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fse from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { git, sandbox, type Sandbox } from '../support/cli.ts';

const SETTINGS =
  '{\n  "model":   "opus",\n "statusLine": {"type":"command","command":"echo"} }\n';

/** With settings of the user's own in every scope. */
function repository(): Sandbox {
  const box = sandbox({
    '.claude/settings.json': SETTINGS,
    '.claude/settings.local.json': SETTINGS,
  });
  git(box, 'init', '-q');
  fse.outputFileSync(join(box.home, '.claude/settings.json'), SETTINGS);
  return box;
}

const init = (box: Sandbox, scope: string): unknown =>
  box.run(['init', '--scope', scope, '--mcp', '--statusline']);
const uninstall = (box: Sandbox, scope: string): string =>
  box.run(['uninstall', '--scope', scope]).stdout;

/** Every file of the project and of the user, without holdfast's own record and its compiled code. */
function filesOf({ root, home }: Sandbox): Map<string, string> {
  const paths = [root, home].flatMap((base) =>
    readdirSync(base, { recursive: true, encoding: 'utf8' }).map((path) =>
      join(base, path),
    ),
  );
  const isCompared = (path: string): boolean =>
    !/installs\.json$|\/holdfast\/cache\//.test(path) &&
    (!path.includes('/.git/') || path.endsWith('/info/exclude')) &&
    lstatSync(path).isFile();
  // Each sandbox is in a folder of its own, which the client's file names.
  const plain = (text: string): string =>
    text.replaceAll(root, 'ROOT').replaceAll(home, 'HOME');
  return new Map(
    paths
      .filter(isCompared)
      .map((path) => [plain(path), plain(readFileSync(path, 'utf8'))]),
  );
}

describe.each([
  ['local', 'project', 'local'],
  ['project', 'local', 'project'],
  ['user', 'local', 'user'],
  ['project', 'user', 'project'],
])('installed for %s, then for %s', (first, second, removed) => {
  it(`and removed for ${removed}: the other is whole, and removed it leaves nothing`, () => {
    const kept = removed === first ? second : first;
    const alone = repository();
    init(alone, kept);
    const both = repository();
    const before = filesOf(both);
    init(both, first);
    init(both, second);
    const text = uninstall(both, removed);
    if (removed === 'project' && kept === 'local')
      expect(text).not.toContain('status.md');
    expect(filesOf(both)).toEqual(filesOf(alone));
    uninstall(both, kept);
    expect(filesOf(both)).toEqual(before);
  });
});

it('files that git tracks are removed with the project, so that the removal can be committed', () => {
  const box = sandbox();
  git(box, 'init', '-q');
  init(box, 'project');
  git(box, 'add', '.');
  git(box, 'commit', '-qm', 'hooks');
  init(box, 'local');
  uninstall(box, 'project');
  const commands = join(box.root, '.claude/commands/holdfast');
  expect(fse.pathExistsSync(commands)).toBe(false);
  git(box, 'add', '-A');
  git(box, 'commit', '-qm', 'no hooks');
  init(box, 'local');
  expect(readdirSync(commands)).toContain('status.md');
  expect(git(box, 'status', '--porcelain')).toBe('');
});
