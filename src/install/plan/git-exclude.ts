const BEGIN = '# >>> holdfast: written by `holdfast init`, removed by `holdfast uninstall`';
/** Used if the line above had no line break, so that removing the block can restore that. */
const BEGIN_WITH_BREAK = `${BEGIN} (with the line break above)`;
const END = '# <<< holdfast';

const BEGINNINGS = new Set([BEGIN, BEGIN_WITH_BREAK]);

/**
 * The exclude file with exactly these patterns in holdfast's block. Without patterns, or if the user's own lines have
 * all of them, the block is removed. null stands for a file that does not exist, or that held nothing but the block.
 */
export function withExcludeBlock(text: string | null, patterns: readonly string[]): string | null {
  const { before, block, after } = split(text ?? '');
  const own = new Set(`${before}\n${after}`.split(/\r?\n/));
  const wanted = [...new Set(patterns)];
  if (wanted.every((pattern) => own.has(pattern))) {
    if (block === null) return text;
    const left =
      after === '' || /(?:^|\n)$/.test(before) ? before + after : before + eolOf(text) + after;
    return left === '' ? null : left;
  }
  const eol = eolOf(text);
  const isJoined = before !== '' && !before.endsWith('\n');
  const lines = [isJoined ? BEGIN_WITH_BREAK : BEGIN, ...wanted, END, ''];
  return `${before}${isJoined ? eol : ''}${lines.join(eol)}${after}`;
}

/** A pattern that matches this path only; the path is relative to the repository, with forward slashes. */
export function patternFor(path: string, isFolder: boolean): string {
  const escaped = path
    .replace(/[*?[\]!#\\]/g, '\\$&')
    .replace(/ +$/, (spaces) => '\\ '.repeat(spaces.length));
  return `/${escaped}${isFolder ? '/' : ''}`;
}

function split(text: string): { before: string; block: string[] | null; after: string } {
  const lines = text.split(/(?<=\n)/);
  const marks = lines.map((line) => line.trimEnd());
  // A block without its end is not removed: nobody knows which of the lines after it are the user's.
  const end = marks.findIndex(
    (line, index) => line === END && marks.slice(0, index).some((above) => BEGINNINGS.has(above)),
  );
  const begin = marks.slice(0, Math.max(end, 0)).findLastIndex((line) => BEGINNINGS.has(line));
  if (begin < 0) return { before: text, block: null, after: '' };
  const before = lines.slice(0, begin).join('');
  return {
    before: marks[begin] === BEGIN_WITH_BREAK ? before.replace(/\r?\n$/, '') : before,
    block: lines.slice(begin + 1, end).map((line) => line.replace(/\r?\n$/, '')),
    after: lines.slice(end + 1).join(''),
  };
}

function eolOf(text: string | null): string {
  return text?.includes('\r\n') === true ? '\r\n' : '\n';
}
