/** The name that was probably meant: one typing error away or, in longer words, two. */
export function closestMatch(
  name: string,
  names: readonly string[],
): string | undefined {
  const typed = folded(name);
  if (typed.length < 2) return undefined;
  const allowed =
    typed.length < 5 ? 1 : Math.max(2, Math.floor(typed.length / 4));
  const [best] = names
    .map((candidate) => ({
      candidate,
      slips: editDistance(folded(candidate), typed),
    }))
    .filter(({ slips }) => slips <= allowed)
    .toSorted((a, b) => a.slips - b.slips);
  return best?.candidate;
}

const folded = (text: string): string =>
  text.slice(0, 80).normalize('NFC').toLowerCase();

/** The Levenshtein distance: how many letters to add, drop or replace to turn one text into the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
