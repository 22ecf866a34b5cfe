import { asWord } from '../text/sanitize.ts';
import type { Phase } from './types.ts';

/** False where a source names a phase without saying how many there are; the total is then only a lower bound. */
export function isCounted(phase: Phase): boolean {
  return phase.total_known !== false;
}

/** What can be said about a phase that is not counted: the line as it stands, else its name; empty if nothing is known. */
export function uncountedText({ line, name }: Phase): string {
  // The texts around it say `phase` themselves.
  return (line ?? name).replace(/^phase\s+(?=\S)/i, '');
}

/** `2/5`, or `7.3 (14th of 17)` where the plan has numbers of its own. */
export function phaseNumber({ current, total, label }: Phase): string {
  return label === undefined
    ? `${current}/${total}`
    : `${label} (${ordinal(current)} of ${total})`;
}

/** `1st`, `22nd`, `113th`. */
function ordinal(number: number): string {
  const isTeen = Math.floor((number % 100) / 10) === 1;
  const ending = isTeen ? undefined : ORDINAL_ENDINGS[number % 10];
  return `${number}${ending ?? 'th'}`;
}

const ORDINAL_ENDINGS: Readonly<Record<number, string>> = {
  1: 'st',
  2: 'nd',
  3: 'rd',
};

/** `2/5 Build`, for tables and records. */
export function phaseLabel(phase: Phase): string {
  const { name } = phase;
  if (!isCounted(phase)) return uncountedText(phase) || 'not known';
  const number = phaseNumber(phase);
  return name === '' ? number : `${number} ${name}`;
}

/** A name is one line of a list; a longer one would hide the sentence that it is in. */
const MAX_PHASE_NAME_CHARS = 160;

/** `2/5 Build` or `2/5 "Data model"`, within a sentence. */
export function phaseWords(phase: Phase, between = ' '): string {
  const { name } = phase;
  if (!isCounted(phase)) {
    const line = uncountedText(phase);
    return line === '' ? 'not known' : asWord(line, MAX_PHASE_NAME_CHARS);
  }
  const number = phaseNumber(phase);
  if (name === '') return number;
  return number + between + asWord(name, MAX_PHASE_NAME_CHARS);
}

/** The name of a phase, for records; a phase without one is called by its number. */
export function phaseName(phase: Phase): string {
  const { current, name, label = String(current) } = phase;
  if (name !== '') return name;
  if (isCounted(phase)) return `Phase ${label}`;
  return uncountedText(phase) || 'a phase';
}
