import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { binary, sandbox, type Result, type Sandbox } from '../support/cli.ts';

/** Runs `holdfast <words>` in a shell, which redirects its output. */
function inShell(box: Sandbox, words: string): Result {
  const script = words.replace('holdfast', `"${process.execPath}" "${binary}"`);
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: box.root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: box.home },
  });
  return { code: status, stdout, stderr };
}

describe.runIf(existsSync('/dev/full'))(
  'if standard output cannot be written',
  () => {
    test('a command fails with one line on standard error, which does not suggest to repeat what is done', () => {
      const box = sandbox();
      box.run(['start', 'Shop', '--phases', 'A,B']);
      for (const words of [
        'status --json',
        'advance',
        '--help',
        '--version',
        'show no --json',
      ]) {
        const { code, stderr } = inShell(box, `holdfast ${words} > /dev/full`);
        expect({ words, code }).toEqual({ words, code: 1 });
        expect(stderr, words).toMatch(/^holdfast: [^\n]+\n$/);
        if (words !== 'advance') continue;
        expect(stderr).toContain(
          'could not be written to standard output (ENOSPC)',
        );
        expect(stderr).not.toContain('try again');
      }
      expect(box.json(['status'])).toMatchObject({
        run: { phase: { current: 2 } },
      });
    });
  },
);

test('a reader that closes the pipe early is not a failure', () => {
  const box = sandbox();
  box.run(['start', 'Run 1', '--phases', 'A,B']);
  const { code, stdout, stderr } = inShell(
    box,
    'holdfast show run-1 --json | true; echo ${PIPESTATUS[0]}',
  );
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: '0\n',
    stderr: '',
  });
});
