import type { PhaseStatus } from '../state/types.ts';

/** How far a phase is, by the mark on its heading. */
export type Mark = 'done' | 'under way' | 'open';

/** The characters of a ticked box, for a character class. */
export const TICKS = 'xX✓✔';

export function markIn(text: string): Mark | undefined {
  if (hasDoneMark(text)) return 'done';
  if (/🔄|⏳/.test(text)) return 'under way';
  return /⬜|\[ \]/.test(text) ? 'open' : undefined;
}

export function hasDoneMark(text: string): boolean {
  return /[✅☑✔✓]|\[[xX]\]/.test(text);
}

/** Whether a text starts or ends with a mark that says done. */
export function isMarkedDone(text: string): boolean {
  return /^\s*(?:[✅☑✔✓]|\[[xX]\])|(?:[✅☑✔✓]\ufe0f?|\[[xX]\])\s*$/.test(text);
}

export function markOfStatus(status: PhaseStatus): Mark {
  if (status === 'completed') return 'done';
  return status === 'in_progress' ? 'under way' : 'open';
}
