import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { binary, sandbox, type Sandbox } from './cli.ts';

const SESSION = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';

/** Somebody who types what the documentation shows. */
export interface Reader {
  box: Sandbox;
  type: (script: string, inSession: boolean) => { code: number | null; output: string };
}

/** A project as a reader has it: in git, with `holdfast` on the PATH, and nothing of this machine's environment. */
export function makeReader(): Reader {
  const box = sandbox();
  const bin = join(box.home, 'bin');
  mkdirSync(bin);
  symlinkSync(binary, join(bin, 'holdfast'));
  const type: Reader['type'] = (script, inSession) => {
    const child = spawnSync('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: box.root,
      encoding: 'utf8',
      input: '',
      env: {
        PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
        HOME: box.home,
        TZ: 'UTC',
        ...(inSession ? { CLAUDE_CODE_SESSION_ID: SESSION } : {}),
      },
    });
    return { code: child.status, output: child.stdout + child.stderr };
  };
  type('rm -rf .git && git init -q', false);
  return { box, type };
}
