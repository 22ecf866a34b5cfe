const BEGIN = '# holdfast: begin (taken out again by `holdfast uninstall`)';
const END = '# holdfast: end';

/** The exclude file with these patterns in our block, after those that are there already. */
export function withPatterns(text: string, patterns: readonly string[]): string {
  const { before, ours, after } = split(text);
  const all = [...new Set([...ours, ...patterns])];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lead = before === '' || before.endsWith('\n') ? before : `${before}${eol}`;
  return `${lead}${[BEGIN, ...all, END, ''].join(eol)}${after}`;
}

export function withoutPatterns(text: string, patterns: readonly string[]): string {
  const { before, ours, after } = split(text);
  const left = ours.filter((pattern) => !patterns.includes(pattern));
  if (left.length === ours.length) return text;
  return left.length === 0 ? before + after : withPatterns(before + after, left);
}

/** A path from the repository's top, with forward slashes, as a pattern that means it and nothing else. */
export function patternFor(path: string, isFolder: boolean): string {
  const escaped = path
    .replace(/[*?[\]!#\\]/g, '\\$&')
    .replace(/ +$/, (spaces) => '\\ '.repeat(spaces.length));
  return `/${escaped}${isFolder ? '/' : ''}`;
}

function split(text: string): { before: string; ours: string[]; after: string } {
  const lines = text.split(/(?<=\n)/);
  const is = (mark: string) => (line: string) => line.trimEnd() === mark;
  const begin = lines.findIndex(is(BEGIN));
  const end = lines.findIndex((line, index) => index > begin && is(END)(line));
  if (begin < 0 || end < 0) return { before: text, ours: [], after: '' };
  return {
    before: lines.slice(0, begin).join(''),
    ours: lines.slice(begin + 1, end).map((line) => line.replace(/\r?\n$/, '')),
    after: lines.slice(end + 1).join(''),
  };
}
