import { randomBytes } from 'node:crypto';
import { isSameSecret } from './request-check.ts';

const VALID_MS = 120_000;

/** A secret that opens the page once, soon after it was issued. */
export class OneTimeCode {
  private current: { code: string; until: number } | null = null;

  issue(now: Date): string {
    const code = randomBytes(24).toString('base64url');
    this.current = { code, until: now.getTime() + VALID_MS };
    return code;
  }

  /** True the first time. */
  redeem(given: string, now: Date): boolean {
    const { current } = this;
    if (current === null || now.getTime() > current.until) return false;
    if (!isSameSecret(given, current.code)) return false;
    this.current = null;
    return true;
  }
}
