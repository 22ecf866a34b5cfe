/** Longer than any command that a person or an agent writes to be read. */
const MAX_LENGTH = 200_000;
/** Deeper substitutions count as separators. */
const MAX_DEPTH = 10;

/**
 * The simple commands in a shell line, each as its words. Quotes are removed, nothing is expanded, redirections are left
 * out, and the text of a here-document is not a command. A substitution stays in its word as it is written, and what runs
 * inside it is listed, too, before the command that it belongs to.
 */
export function shellCommands(line: string): string[][] {
  const commands: string[][] = [];
  scan(line.slice(0, MAX_LENGTH), 0, '', 0, commands);
  return commands;
}

const SEPARATOR = /[\n;&|()`]/;
const HERE_DOCUMENT = /<<-?[ \t]*(?:(['"])([^\n]*?)\1|(\\?)([^\s;&|()<>`'"]+))/y;

/** Reads to the end of the text, or to the `closing` character of a substitution; returns where that is. */
function scan(
  text: string,
  start: number,
  closing: string,
  depth: number,
  commands: string[][],
): number {
  let at = start;
  let openParentheses = 0;
  let words: string[] = [];
  let word: string | null = null;
  /** Whether the next word is the file of a redirection. */
  let isTarget = false;
  /** Here-documents whose text begins after the current line. */
  let hereDocuments: { end: string; isExpanded: boolean }[] = [];

  const add = (part: string): void => {
    word = (word ?? '') + part;
  };
  const endWord = (): void => {
    if (word !== null && !isTarget) words.push(word);
    if (word !== null) isTarget = false;
    word = null;
  };
  const endCommand = (): void => {
    endWord();
    isTarget = false;
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const endOf = (mark: string, from: number): number => {
    const end = text.indexOf(mark, from);
    return end < 0 ? text.length : end;
  };
  const isSubstitution = (): boolean =>
    depth < MAX_DEPTH && (text[at] === '`' || text.startsWith('$(', at));
  const substitution = (): string => {
    const from = at;
    const hasBackticks = text[at] === '`';
    at += hasBackticks ? 1 : 2;
    at = scan(text, at, hasBackticks ? '`' : ')', depth + 1, commands) + 1;
    return text.slice(from, at);
  };
  const doubleQuoted = (): void => {
    let content = '';
    at += 1;
    while (at < text.length && text[at] !== '"') {
      if (isSubstitution()) content += substitution();
      else {
        if (text[at] === '\\' && /["\\$`]/.test(text[at + 1] ?? '')) at += 1;
        content += text[at] ?? '';
        at += 1;
      }
    }
    add(content);
    at += 1;
  };
  /** `$'…'`, in which a backslash escapes a quote. */
  const escapedQuoted = (): void => {
    const from = at;
    at += 2;
    while (at < text.length && text[at] !== "'") at += text[at] === '\\' ? 2 : 1;
    at += 1;
    add(text.slice(from, at));
  };
  const hereDocument = (): void => {
    endWord();
    HERE_DOCUMENT.lastIndex = at;
    const [whole = '<<', , quoted, escape, bare] = HERE_DOCUMENT.exec(text) ?? [];
    at += whole.length;
    const end = quoted ?? bare;
    if (end !== undefined) hereDocuments.push({ end, isExpanded: escape === '' });
  };
  const skipHereTexts = (): void => {
    for (const { end, isExpanded } of hereDocuments) {
      const from = at;
      let isOver = false;
      while (!isOver && at < text.length) {
        const next = endOf('\n', at);
        isOver = text.slice(at, next).replace(/^\t+/, '') === end;
        at = next + 1;
      }
      if (!isExpanded || depth >= MAX_DEPTH) continue;
      scan(`"${text.slice(from, at).replaceAll('"', '')}"`, 0, '', depth + 1, commands);
      // The text itself.
      commands.pop();
    }
    hereDocuments = [];
  };
  const redirection = (): void => {
    // The number of a stream.
    if (/^\d+$/.test(word ?? '')) word = null;
    endWord();
    while (/[<>&|]/.test(text[at] ?? '')) at += 1;
    isTarget = true;
  };

  for (; at < text.length;) {
    const character = text[at] ?? '';
    if (character === '(') openParentheses += 1;
    if (character === ')') openParentheses -= 1;
    if (character === closing && (closing === '`' || openParentheses < 0)) break;
    if (character === '\\') {
      if (text[at + 1] !== '\n') add(text[at + 1] ?? '');
      at += 2;
    } else if (character === "'") {
      const end = endOf("'", at + 1);
      add(text.slice(at + 1, end));
      at = end + 1;
    } else if (character === '"') doubleQuoted();
    else if (text.startsWith("$'", at)) escapedQuoted();
    else if (isSubstitution()) add(substitution());
    else if (character === '#' && word === null) at = endOf('\n', at);
    else if (/^<<(?!<)/.test(text.slice(at, at + 3))) hereDocument();
    else if (/[<>]/.test(character)) redirection();
    else {
      at += 1;
      if (character === '\n') skipHereTexts();
      if (SEPARATOR.test(character)) endCommand();
      else if (/\s/.test(character)) endWord();
      else add(character);
    }
  }
  endCommand();
  return Math.min(at, text.length);
}

/** A text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
