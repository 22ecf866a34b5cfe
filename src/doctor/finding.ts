import { sanitizeLine } from '../text/sanitize.ts';
import { shellQuote } from '../text/shell-commands.ts';

/** `skipped`: not checked; the message says why. */
export type Level = 'ok' | 'note' | 'warning' | 'broken' | 'skipped';

export interface Finding {
  level: Level;
  message: string;
  evidence: Evidence;
  fix?: string;
  /** Carries out the fix, if `doctor --fix` may do it, and says what was done. */
  repair?: () => string[];
  fixed?: true;
}

type Evidence = readonly string[];

const plain =
  (level: Level) =>
  (message: string, evidence: Evidence = []): Finding => ({ level, message, evidence });

/** Whatever needs attention comes with what to do about it. */
const advised =
  (level: Level) =>
  (message: string, fix: string, evidence: Evidence = []): Finding => ({
    level,
    message,
    evidence,
    fix,
  });

export const ok = plain('ok');
export const skipped = plain('skipped');
export const note = advised('note');
export const warning = advised('warning');
export const broken = advised('broken');

export const INSTALL_NODE = 'install Node 20 or newer, so that `node` is found';

/** Untrusted text as one word of a command that users copy into their shell. */
export function quoteForShell(text: string): string {
  return shellQuote(sanitizeLine(text));
}
