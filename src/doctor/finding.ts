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
  repair?: () => string;
  fixed?: true;
}

type Evidence = readonly string[];

type Plain = (message: string, evidence?: Evidence) => Finding;
type Advised = (message: string, fix: string, evidence?: Evidence) => Finding;

export const ok: Plain = (message, evidence = []) => ({
  level: 'ok',
  message,
  evidence,
});
export const skipped: Plain = (message, evidence = []) => ({
  level: 'skipped',
  message,
  evidence,
});
export const note: Advised = (message, fix, evidence = []) => ({
  level: 'note',
  message,
  evidence,
  fix,
});
export const warning: Advised = (...args) => ({
  ...note(...args),
  level: 'warning',
});
export const broken: Advised = (...args) => ({
  ...note(...args),
  level: 'broken',
});

export const INSTALL_NODE = 'install Node 20 or newer, so that `node` is found';

/** Untrusted text as one word of a command that users copy into their shell. */
export const quoteForShell = (text: string): string =>
  shellQuote(sanitizeLine(text));
