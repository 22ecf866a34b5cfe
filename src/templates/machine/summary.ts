const WHITE = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
// Half of a character, which a JSON escape can make.
const LONE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** What a run is about, in one line, kept whole; undefined if nothing is left of it. */
export function cleanSummary(given: string | undefined): string | undefined {
  const line = (given ?? '').replace(WHITE, ' ').replace(CONTROL, '').replace(LONE, '').trim();
  return line === '' ? undefined : line;
}
