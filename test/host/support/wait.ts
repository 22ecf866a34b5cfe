import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for a small, busy machine: only a real failure reaches it. */
export const DEADLINE_MS = 300_000;

/** Returns undefined or `false` until the condition holds. */
export type Probe<T> = () =>
  | T
  | undefined
  | false
  | Promise<T | undefined | false>;

/** Polls until the probe answers; the error at the deadline ends with what `explain` says. */
export async function waitFor<T>(
  what: string,
  probe: Probe<T>,
  explain: () => Promise<string>,
): Promise<T> {
  const end = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end)
      throw new Error(
        `waited ${DEADLINE_MS / 1000} s for ${what}\n${await explain()}`,
      );
    await sleep(50);
  }
}
