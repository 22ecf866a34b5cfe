/** A secret in a text: where it is, and what it is. */
export interface Span {
  start: number;
  end: number;
  kind: string;
}

/** A password without a name in a text, with that of its user, if there is one. */
export interface Login {
  user: string;
  password: string;
  start: number;
}

/**
 * Where two rules find the same text, there is one secret, of the kind that the earlier rule says. It reaches as far as
 * both, so that nobody who allows a harmless part of it allows the rest.
 */
export function joinOverlapping(spans: readonly Span[]): Span[] {
  const ranked = spans.map((span, rank) => ({ ...span, rank }));
  const joined: typeof ranked = [];
  for (const span of ranked.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || span.start >= last.end) {
      joined.push(span);
      continue;
    }
    const { kind, rank } = span.rank < last.rank ? span : last;
    const end = Math.max(last.end, span.end);
    joined[joined.length - 1] = { start: last.start, end, kind, rank };
  }
  return joined;
}
