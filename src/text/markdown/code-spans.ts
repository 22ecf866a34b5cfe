/**
 * Returns a lookup for the end of a code span: the backtick run of the same length behind `from`. The runs are indexed
 * once, because searching for each one anew is quadratic. Ask with growing positions.
 */
export function codeSpanFinder(text: string): (length: number, from: number) => number | undefined {
  const runs = new Map<number, { starts: number[]; next: number }>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const known = runs.get(run.length);
    if (known) known.starts.push(index);
    else runs.set(run.length, { starts: [index], next: 0 });
  }
  return (length, from) => {
    const sameLength = runs.get(length);
    if (!sameLength) return undefined;
    while ((sameLength.starts[sameLength.next] ?? from) < from) sameLength.next += 1;
    const start = sameLength.starts[sameLength.next];
    return start === undefined ? undefined : start + length;
  };
}
