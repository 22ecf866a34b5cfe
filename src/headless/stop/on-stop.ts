import { spawn } from 'node:child_process';

const LIMIT_MS = 60_000;

/** Runs the user's command with the reason as JSON on its input. Returns what went wrong, or null. */
export function runOnStop(
  command: string,
  reason: object,
  { cwd, environment }: { cwd: string; environment: Record<string, string | undefined> },
): Promise<string | null> {
  return new Promise((settle) => {
    const child = spawn(command, {
      cwd,
      env: environment,
      shell: true,
      // Its output must not mix with the events on standard output.
      stdio: ['pipe', 'ignore', 'inherit'],
      windowsHide: true,
    });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      settle(`it did not end within ${LIMIT_MS / 1000} seconds`);
    }, LIMIT_MS);
    const finish = (problem: string | null): void => {
      clearTimeout(timer);
      settle(problem);
    };
    child.once('error', (error) => finish(error.message));
    child.once('close', (code, signal) => {
      if (code === 0) finish(null);
      else finish(signal === null ? `it exited with ${code}` : `it was ended by ${signal}`);
    });
    // A command that reads nothing is fine.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${JSON.stringify(reason)}\n`);
  });
}
