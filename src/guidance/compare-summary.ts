import { notesOf } from '../state/notes.ts';
import { isCounted, phaseLabel } from '../state/phases.ts';
import type { RunState } from '../state/types.ts';
import { oneLine } from './frame.ts';

/** A fact counts as kept if the summary has the first words of it. */
const COMPARED = 120;
const MAX_LISTED = 30;

/** Which declared facts the summary of a compaction has kept: phase, required reading, reminders and decisions. */
export function compareSummary(summary: string, state: RunState) {
  const text = plain(summary);
  const { phase, required_reading: reading, key_reminders: reminders = [] } = state;
  const numbers = isCounted(phase) ? `${phase.current}/${phase.total}` : phaseLabel(phase);
  // What it is, how it is shown, and the words of which one must be there.
  const facts = [
    ['phase', phaseLabel(phase), phase.name, numbers],
    ...reading.map((path) => ['reading', path, path.slice(1)]),
    ...reminders.map((each) => ['reminder', each, each]),
    ...notesOf(state).map(({ text: note }) => ['decision', note, note]),
  ];
  const lost = facts.filter(
    ([, , ...words]) =>
      !words.map(plain).some((word) => word !== '' && text.includes(word.slice(0, COMPARED))),
  );
  return {
    kept: facts.length - lost.length,
    of: facts.length,
    // Those that only the guidance brought back, each with what it is.
    lost: lost.slice(0, MAX_LISTED).map(([what, shown = '']) => `${what} ${oneLine(shown, 80)}`),
  };
}

/** Without what a summary may write differently: emphasis, quotes, upper case, line breaks. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[*_`"'’“”]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
