import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patternFor, withExcludeBlock } from '../../../src/install/excludes.ts';
import { makeProject, type Project } from '../../support/project.ts';

const OURS = ['/.claude/settings.local.json', '/.claude/skills/holdfast/'];
const OTHER = ['/sub/.claude/settings.local.json'];

describe('the block in the exclude file of git', () => {
  const files = [
    ['a file that does not exist', null],
    [
      'the file that git creates',
      '# git ls-files --others --exclude-from=.git/info/exclude\n*~\n',
    ],
    ['Windows line breaks', '*.log\r\n/build\r\n'],
    ['a last line without a line break', '# mine\n*.log'],
  ] as const;

  test.each(files)(
    '%s: is written once and removed byte for byte',
    (_what, before) => {
      const after = withExcludeBlock(before, OURS);
      expect(after?.startsWith(before ?? '')).toBe(true);
      expect(after?.split(/\r?\n/)).toEqual(expect.arrayContaining(OURS));
      expect(withExcludeBlock(after, OURS)).toBe(after);
      expect(withExcludeBlock(after, [])).toBe(before);
      const isWindows = before?.includes('\r\n') === true;
      if (isWindows) expect(after?.replaceAll('\r\n', '')).not.toContain('\n');
    },
  );

  test('leaves lines that were added after it where they are', () => {
    const grown = `${withExcludeBlock('a\n', OURS)}b\n`;
    expect(withExcludeBlock(grown, OTHER)?.endsWith('\nb\n')).toBe(true);
    expect(withExcludeBlock(grown, [])).toBe('a\nb\n');
    expect(withExcludeBlock(`${withExcludeBlock('a', OURS)}b\n`, [])).toBe(
      'a\nb\n',
    );
  });

  test('loses nothing of the user if its end was deleted', () => {
    const broken =
      withExcludeBlock('a\n', OURS)?.replace('# <<< holdfast\n', 'mine\n') ??
      null;
    const again = withExcludeBlock(broken, OURS);
    expect(withExcludeBlock(again, [])?.split('\n')).toEqual(
      expect.arrayContaining(['a', 'mine']),
    );
  });

  test('any patterns, written and removed, leave the bytes of any file', () => {
    const name = fc
      .string({ minLength: 1, maxLength: 8 })
      .filter((text) => !/[\r\n]/.test(text));
    const patterns = fc.uniqueArray(
      fc
        .tuple(name, fc.boolean())
        .map(([path, isFolder]) => patternFor(path, isFolder)),
      { minLength: 1, maxLength: 4 },
    );
    const text = fc.array(fc.constantFrom('a', '#b', '', ' ', '*.log '), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('', '\n', '\r\n'),
        patterns,
        (lines, last, wanted) => {
          const before = lines.join('\n') + last;
          fc.pre(before !== '');
          const after = withExcludeBlock(before, wanted);
          expect(withExcludeBlock(after, wanted)).toBe(after);
          expect(withExcludeBlock(after, [])).toBe(before);
        },
      ),
    );
  });
});

describe('a pattern means its path and nothing else, to git itself', () => {
  const environment = (project: Project): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: project.outside,
    GIT_CONFIG_NOSYSTEM: '1',
  });
  const repository = (): Project => {
    const project = makeProject();
    execFileSync('git', ['init', '-q'], {
      cwd: project.root,
      env: environment(project),
    });
    return project;
  };
  const ignored = (project: Project, paths: string[]): string[] =>
    spawnSync('git', ['check-ignore', '-z', '--stdin', '--no-index'], {
      cwd: project.root,
      env: environment(project),
      input: paths.join('\0'),
      encoding: 'utf8',
    })
      .stdout.split('\0')
      .filter((path) => path !== '');

  test.each([
    [
      '.claude/settings.local.json',
      ['x/.claude/settings.local.json', '.claude/settings.json'],
    ],
    ['*?.json', ['xy.json', 'x/*?.json']],
    ['x/!keep/#y', ['x/keep/y']],
    ['back\\slash', ['backslash', 'back/slash']],
    ['ends with two  ', ['ends with two ', 'ends with two']],
    ['ünïcode/日本', ['unicode/日本']],
  ])('%j', (path, others) => {
    const project = repository();
    const text = withExcludeBlock('other\r\n', [patternFor(path, false)]);
    project.write('.git/info/exclude', text ?? '');
    expect(ignored(project, [path, ...others])).toEqual([path]);
  });

  test.each([['a b'], ['*'], ['[x]'], ['#x'], ['!x'], ['x ']])(
    'the folder %j',
    (path) => {
      const project = repository();
      project.write(
        '.git/info/exclude',
        withExcludeBlock(null, [patternFor(path, true)]) ?? '',
      );
      const inside = `${path}/file`;
      project.write(inside, '');
      expect(ignored(project, [inside, 'other/file', `y/${inside}`])).toEqual([
        inside,
      ]);
    },
  );
});
