import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository, sandbox, type Sandbox } from '../support/cli.ts';
import { recorded } from '../support/hooks.ts';

const DETECTING = [
  'precompact-auto',
  'postcompact-auto',
  'sessionstart-compact',
];
const OTHERS =
  'sessionstart-startup sessionstart-resume sessionstart-clear sessionend-other userpromptsubmit posttooluse-read'.split(
    ' ',
  );

type Answer = { code: number | null; stdout: string; stderr: string };

function send(
  box: Sandbox,
  input: string,
  {
    words = [],
    env = {},
  }: { words?: string[]; env?: Record<string, string> } = {},
): Answer {
  const hook = join(repository, 'dist/hook.cjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [hook, ...words],
    {
      cwd: box.home,
      encoding: 'utf8',
      input,
      env: { PATH: process.env['PATH'], HOME: box.home, ...env },
    },
  );
  return { code: status, stdout, stderr };
}

const payload = (box: Sandbox, name: string, changes: object = {}): string =>
  recorded(name, { cwd: box.root, session_id: 's1', ...changes });
const namesBelow = (folder: string): Set<string> =>
  new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
const nothing = { code: 0, stdout: '', stderr: '' };

describe('without stored runs and without sources', () => {
  it('no event answers or writes anything', () => {
    const box = sandbox({ 'README.md': '' });
    const before = namesBelow(box.home);
    for (const name of DETECTING)
      expect(send(box, payload(box, name)), name).toEqual(nothing);
    expect(readdirSync(box.root).toSorted()).toEqual(['.git', 'README.md']);
    expect(namesBelow(box.home)).toEqual(before);
  });

  it('an event that does not detect ignores sources', () => {
    const box = sandbox({
      'CLAUDE.local.md': 'Workflow: Shop\n',
      'CLAUDE/Plan/1-a/PLAN.md': '',
    });
    const before = readdirSync(box.root).toSorted();
    for (const name of OTHERS)
      expect(send(box, payload(box, name)), name).toEqual(nothing);
    expect(readdirSync(box.root).toSorted()).toEqual(before);
  });

  it('unreadable input goes to the log, which is not created for it', () => {
    const box = sandbox();
    const { code, stdout } = send(box, 'no JSON', {
      words: ['--cwd', box.root],
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(readdirSync(box.root)).toEqual(['.git']);
  });
});

describe('a hook answers', () => {
  it('for the project that the words name, whatever the payload says', () => {
    const box = sandbox();
    const other = sandbox();
    box.run(['start', 'Shop'], { session: 's1' });
    const input = payload(other, 'sessionstart-compact');
    const words = ['hook', `--cwd=${box.root}`];
    expect(send(box, input, { words }).stdout).toContain('Shop');
    expect(send(other, input)).toEqual(nothing);
  });
});
