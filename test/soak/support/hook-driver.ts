import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { repository } from '../../support/cli.ts';
import type { Box } from './box.ts';

export type Answer = { stdout: string; stderr: string; ms: number };

export interface HookDriver {
  call: (payload: string) => Promise<Answer>;
  end: () => void;
}

/** The built hooks in one process of their own, for more calls than processes could be started. */
export function startHookDriver(box: Box): HookDriver {
  const program = fileURLToPath(new URL('hook-driver.cjs', import.meta.url));
  const child = spawn(
    process.execPath,
    [program, join(repository, 'dist/hook.cjs')],
    {
      cwd: box.root,
      env: { PATH: process.env['PATH'], HOME: box.home, TZ: 'UTC' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const waiting: ((answer: Answer) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) =>
    waiting.shift()?.(JSON.parse(line)),
  );
  const closed = new Promise<never>((_, reject) => {
    child.on('close', (code) =>
      reject(new Error(`the hooks' process ended with ${code}`)),
    );
  });
  closed.catch(() => {});
  return {
    call: (payload) => {
      const answered = new Promise<Answer>((resolve) => waiting.push(resolve));
      child.stdin.write(`${payload}\n`);
      return Promise.race([answered, closed]);
    },
    end: () => void child.kill(),
  };
}
