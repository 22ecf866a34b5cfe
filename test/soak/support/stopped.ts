import { readFileSync } from 'node:fs';

/** Waits until a process is stopped; false if it exited first. Needs /proc. */
export async function isStopped(pid: number): Promise<boolean> {
  for (;;) {
    const state = stateOf(pid);
    if (state === 'T') return true;
    if (state === null || state === 'Z') return false;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function stateOf(pid: number): string | null {
  try {
    return (
      /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? null
    );
  } catch {
    // The process has exited.
    return null;
  }
}
