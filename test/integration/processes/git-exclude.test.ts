import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  patternFor,
  withoutPatterns,
  withPatterns,
} from '../../../src/install/plan/git-exclude.ts';
import { makeProject, type Project } from '../../support/project.ts';

const OURS = ['/.claude/settings.local.json', '/.claude/skills/holdfast/'];
const OTHER = ['/sub/.claude/settings.local.json'];

describe('the exclude file of git', () => {
  const files = [
    ['that is missing or empty', ''],
    ['as git makes it', '# git ls-files --others --exclude-from=.git/info/exclude\n*~\n'],
    ['with line ends of Windows', '*.log\r\n/build\r\n'],
  ] as const;

  test.each(files)('%s: the patterns go in once, and out again', (_what, before) => {
    const after = withPatterns(before, OURS);
    expect(after.startsWith(before)).toBe(true);
    expect(after.split(/\r?\n/)).toEqual(expect.arrayContaining(OURS));
    expect(withPatterns(after, OURS)).toBe(after);
    expect(withoutPatterns(after, OURS)).toBe(before);
  });

  test('a last line without an end keeps its meaning', () => {
    expect(withPatterns('*.log', OURS).split('\n')[0]).toBe('*.log');
  });

  test('line ends are those of the file', () => {
    expect(withPatterns('a\r\n', OURS).replaceAll('\r\n', '')).not.toContain('\n');
    expect(withPatterns('a\n', OURS)).not.toContain('\r');
  });

  test('two installations share one block; each takes out its own', () => {
    const both = withPatterns(withPatterns('a\n', OURS), OTHER);
    expect(both.match(/holdfast: begin/g)).toHaveLength(1);
    expect(withoutPatterns(both, OURS)).toBe(withPatterns('a\n', OTHER));
    expect(withoutPatterns(withoutPatterns(both, OURS), OTHER)).toBe('a\n');
  });

  test('lines that were written after ours stay where they are', () => {
    const grown = `${withPatterns('a\n', OURS)}b\n`;
    expect(withPatterns(grown, OTHER).endsWith('\nb\n')).toBe(true);
    expect(withoutPatterns(grown, OURS)).toBe('a\nb\n');
  });

  test('without our block nothing is taken out, not even the same pattern of the user’s', () => {
    const text = `${OURS.join('\n')}\n`;
    expect(withoutPatterns(text, OURS)).toBe(text);
  });

  test('a block whose end was deleted loses nothing that stands after it', () => {
    const broken = withPatterns('a\n', OURS).replace(/# holdfast: end\n/, 'mine\n');
    const again = withPatterns(broken, OURS);
    expect(withoutPatterns(again, OURS).split('\n')).toEqual(expect.arrayContaining(['a', 'mine']));
  });

  test('any patterns, in and out again, leave the bytes of a file that ends with a line end', () => {
    const name = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/[\r\n]/.test(text));
    const patterns = fc.uniqueArray(
      fc.tuple(name, fc.boolean()).map(([path, isFolder]) => patternFor(path, isFolder)),
      { minLength: 1, maxLength: 4 },
    );
    const text = fc.array(fc.constantFrom('a', '#b', '', ' ', '*.log '), { maxLength: 5 });
    fc.assert(
      fc.property(text, patterns, (lines, wanted) => {
        const before = lines.map((line) => `${line}\n`).join('');
        const after = withPatterns(before, wanted);
        expect(withPatterns(after, wanted)).toBe(after);
        expect(withoutPatterns(after, wanted)).toBe(before);
      }),
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
    execFileSync('git', ['init', '-q'], { cwd: project.root, env: environment(project) });
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
    ['.claude/settings.local.json', ['x/.claude/settings.local.json', '.claude/settings.json']],
    ['a b/c.json', ['a', 'b/c.json', 'a b/c']],
    ['*.json', ['x.json', 'x/*.json']],
    ['a?c', ['abc']],
    ['[ab]/x', ['a/x', 'b/x']],
    ['#note', ['note', 'x/#note']],
    ['!keep', ['keep']],
    ['x/!keep/#y', ['x/keep/y']],
    ['back\\slash', ['backslash', 'back/slash']],
    ['**/x', ['a/x', 'x']],
    ['ends with a space ', ['ends with a space']],
    ['ends with two  ', ['ends with two ', 'ends with two']],
    ['ünïcode/日本', ['unicode/日本']],
    ['{a,b}', ['a', 'b']],
    ['~x$y', ['x']],
  ])('%j', (path, others) => {
    const project = repository();
    project.write('.git/info/exclude', withPatterns('', [patternFor(path, false)]));
    expect(ignored(project, [path, ...others])).toEqual([path]);
  });

  test.each([['a b'], ['*'], ['[x]'], ['#x'], ['!x'], ['x ']])('the folder %j', (path) => {
    const project = repository();
    project.write('.git/info/exclude', withPatterns('', [patternFor(path, true)]));
    const inside = `${path}/file`;
    project.write(inside, '');
    expect(ignored(project, [inside, 'other/file', `y/${inside}`])).toEqual([inside]);
  });

  test('also in a file with line ends of Windows', () => {
    const project = repository();
    project.write('.git/info/exclude', withPatterns('other\r\n', [patternFor('a b', false)]));
    expect(ignored(project, ['a b', 'a'])).toEqual(['a b']);
  });
});
