import { editDistance } from './edit-distance.ts';

/** The name that was probably meant: one typing error away or, in longer words, two. */
export function closestMatch(name: string, names: readonly string[]): string | undefined {
  const given = folded(name);
  if (given.length < 2) return undefined;
  const allowed = given.length < 5 ? 1 : Math.max(2, Math.floor(given.length / 4));
  const [best] = names
    .map((candidate) => ({ candidate, slips: editDistance(folded(candidate), given) }))
    .filter(({ slips }) => slips <= allowed)
    .toSorted((a, b) => a.slips - b.slips);
  return best?.candidate;
}

function folded(text: string): string {
  return text.slice(0, 80).normalize('NFC').toLowerCase();
}
