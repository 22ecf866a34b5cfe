import { readFileSync } from 'node:fs';

/** Waits until a process stands still; false where it ended before it could. Only where there is /proc. */
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
    return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? null;
  } catch {
    // It is gone, and its folder with it.
    return null;
  }
}
