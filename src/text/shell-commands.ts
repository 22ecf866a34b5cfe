import { sanitizeLine } from './sanitize.ts';

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
const ESCAPED = /\\([^]?)/y;
const QUOTED = /'([^']*)'?/y;
/** `$'…'`, in which a backslash escapes a quote. */
const ESCAPE_QUOTED = /\$'(?:\\[^]|[^'\\])*\\?'?/y;
const IN_DOUBLE_QUOTES = /(?:\\(?=["\\$`]))?([^])/y;
const COMMENT = /#[^\n]*/y;
/** The word that ends a here-document. If any part of it is quoted, the shell expands nothing in the text. */
const DELIMITER = /(?:'[^'\n]*'|"[^"\n]*"|\\[^\n]|[^\s;&|()<>`'"\\])+/;
/** With a `-`, the line that ends the text may be indented by tabs. */
const HERE_DOCUMENT = new RegExp(
  `<<(?!<)(?:(-?)[ \\t]*(${DELIMITER.source}))?`,
  'y',
);
const QUOTED_PART = /'([^']*)'|"([^"]*)"|\\(.)/g;
const REDIRECTION = /[<>][<>&|]*/y;

interface HereDocument {
  end: string;
  isExpanded: boolean;
  isIndented: boolean;
}

function hereDocumentOf(delimiter: string, isIndented: boolean): HereDocument {
  const end = delimiter.replaceAll(QUOTED_PART, '$1$2$3');
  return { end, isExpanded: end === delimiter, isIndented };
}

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
  let hereDocuments: HereDocument[] = [];

  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = at;
    const taken = token.exec(text);
    at += taken?.[0].length ?? 0;
    return taken;
  };
  const add = (part = ''): void => {
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
  const isSubstitution = (): boolean =>
    depth < MAX_DEPTH && (text[at] === '`' || text.startsWith('$(', at));
  const substitution = (): string => {
    const from = at;
    const hasBackticks = text[at] === '`';
    at += hasBackticks ? 1 : 2;
    at = scan(text, at, hasBackticks ? '`' : ')', depth + 1, commands) + 1;
    return text.slice(from, at);
  };
  const skipHereTexts = (): void => {
    for (const { end, isExpanded, isIndented } of hereDocuments) {
      const from = at;
      let isOver = false;
      while (!isOver && at < text.length) {
        const [line] = text.slice(at).split('\n', 1);
        isOver = (isIndented ? line?.replace(/^\t+/, '') : line) === end;
        at += (line?.length ?? 0) + 1;
      }
      if (!isExpanded || depth >= MAX_DEPTH) continue;
      scan(
        `"${text.slice(from, at).replaceAll('"', '')}"`,
        0,
        '',
        depth + 1,
        commands,
      );
      // The text itself.
      commands.pop();
    }
    hereDocuments = [];
  };

  for (; at < text.length;) {
    const character = text[at] ?? '';
    if (character === '(') openParentheses += 1;
    if (character === ')') openParentheses -= 1;
    if (character === closing && (closing === '`' || openParentheses < 0))
      break;
    const escaped = take(ESCAPED);
    const quoted = escaped ?? take(QUOTED);
    const hereDocument = quoted ? null : take(HERE_DOCUMENT);
    if (quoted) {
      if (quoted[0] !== '\\\n') add(quoted[1]);
    } else if (hereDocument) {
      endWord();
      const [, indent, delimiter] = hereDocument;
      if (delimiter !== undefined)
        hereDocuments.push(hereDocumentOf(delimiter, indent === '-'));
    } else if (character === '"') {
      let content = '';
      at += 1;
      while (at < text.length && text[at] !== '"')
        content += isSubstitution()
          ? substitution()
          : (take(IN_DOUBLE_QUOTES)?.[1] ?? '');
      add(content);
      at += 1;
    } else if (text.startsWith("$'", at)) add(take(ESCAPE_QUOTED)?.[0]);
    else if (isSubstitution()) add(substitution());
    else if (character === '#' && word === null) take(COMMENT);
    else if (take(REDIRECTION)) {
      // The number of a stream.
      if (/^\d+$/.test(word ?? '')) word = null;
      endWord();
      isTarget = true;
    } else {
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

/** A word that would have to be longer, or would not look like what it is, is left to the reader. */
const MAX_PROPOSED = 200;

/**
 * A word of others in a command that holdfast proposes: in quotes where a shell needs them. `instead` stands for one
 * that would be an option, has characters which are not shown, or would end the backticks around the command.
 */
export function proposedWord(text: string, instead: string): string {
  const isPlain = sanitizeLine(text) === text && !text.includes('`');
  // A program would take what begins with a dash for an option.
  const isWord =
    isPlain && !text.startsWith('-') && text.length <= MAX_PROPOSED;
  return isWord ? shellQuote(text) : instead;
}

export const shellQuote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
