import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { binary, sandbox, type CallOptions, type Sandbox } from './cli.ts';

const SESSION = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';

type Typed = { code: number | null; output: string };

/** Somebody who types what the documentation shows. */
export interface Reader {
  box: Sandbox;
  /** How `box` calls the program as a shell of the reader does. */
  options: CallOptions;
  type: (script: string, inSession: boolean) => Typed;
}

/** A project as a reader has it: in git, with `holdfast` on the PATH, and nothing of this machine's environment. */
export function makeReader(): Reader {
  const box = sandbox();
  const bin = join(box.home, 'bin');
  mkdirSync(bin);
  symlinkSync(binary, join(bin, 'holdfast'));
  const PATH = [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  const options: CallOptions = { env: { PATH } };

  const typeInShell: Reader['type'] = (script, inSession) => {
    const child = spawnSync('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: box.root,
      encoding: 'utf8',
      input: '',
      env: {
        PATH,
        HOME: box.home,
        TZ: 'UTC',
        ...(inSession ? { CLAUDE_CODE_SESSION_ID: SESSION } : {}),
      },
    });
    return { code: child.status, output: child.stdout + child.stderr };
  };

  /** Calls that need no shell are made without one; like the shell, it stops at the first that fails. */
  const type: Reader['type'] = (script, inSession) => {
    const lines = script
      .replaceAll(COMMENT, '')
      .split(/; |\n/)
      .filter((line) => line.trim() !== '');
    const calls = lines.map(plainCall);
    if (calls.includes(null)) return typeInShell(script, inSession);
    const typed: Typed = { code: 0, output: '' };
    for (const words of calls) {
      if (words === null || typed.code !== 0) break;
      const session = inSession ? { session: SESSION } : {};
      const { code, stdout, stderr } = box.run(words, {
        code: 'any',
        ...options,
        ...session,
      });
      typed.code = code;
      typed.output += stdout + stderr;
    }
    return typed;
  };

  execFileSync('git', ['init', '-q'], {
    cwd: box.root,
    env: { PATH, HOME: box.home },
  });
  return { box, options, type };
}

const WORD = /"[^"$`\\!]*"|'[^']*'|[\w./:=,@%+-]+/;
const CALL = new RegExp(`^holdfast(?: (?:${WORD.source}))*$`);
const COMMENT = / +#.*$/gm;

/** The arguments of a call of holdfast that a shell passes on as they are; null for any other line. */
function plainCall(line: string): string[] | null {
  if (!CALL.test(line)) return null;
  const [, ...words] = line.match(new RegExp(WORD, 'g')) ?? [];
  return words.map((word) => word.replaceAll(/^["']|["']$/g, ''));
}
