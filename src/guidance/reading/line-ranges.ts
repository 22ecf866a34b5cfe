const MAX_SPANS = 100;

type Span = [from: number, to: number];

/** The lines of one version of a file that were read so far: sorted spans that neither overlap nor touch. */
export interface LineRanges {
  digest: string;
  spans: Span[];
}

/** Spans of another version of the file are dropped. */
export function addRange(
  parts: LineRanges | undefined,
  { from, to, digest }: { from: number; to: number; digest: string },
): LineRanges {
  const before = parts?.digest === digest ? parts.spans : [];
  const spans: Span[] = [];
  for (const [first, last] of [...before, [from, to] satisfies Span].toSorted(
    (a, b) => a[0] - b[0],
  )) {
    const previous = spans.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) {
      previous[1] = Math.max(previous[1], last);
    } else {
      spans.push([first, last]);
    }
  }
  return { digest, spans: spans.slice(0, MAX_SPANS) };
}

export function isCovered({ spans }: LineRanges, lines: number): boolean {
  const [first] = spans;
  return first !== undefined && first[0] <= 1 && first[1] >= lines;
}
