/** Longer than any command that a person or an agent writes to be read. */
const MAX_LENGTH = 200_000;

/**
 * The simple commands in a shell line, each as its words. Quotes are removed, nothing is expanded, and the text of a
 * here-document is not a command. Substitutions count as separators, so that what runs inside them is seen too.
 */
export function shellCommands(line: string): string[][] {
  const scanner = new Scanner(line.slice(0, MAX_LENGTH));
  return scanner.commands();
}

const SEPARATORS = new Set(['\n', ';', '&', '|', '(', ')', '`']);

class Scanner {
  #at = 0;
  #word: string | null = null;
  #command: string[] = [];
  readonly #commands: string[][] = [];
  /** Here-documents whose text begins after the current line. */
  #hereEnds: string[] = [];

  constructor(private readonly text: string) {}

  commands(): string[][] {
    while (this.#at < this.text.length) this.#step();
    this.#endCommand();
    return this.#commands;
  }

  #step(): void {
    const character = this.text[this.#at] ?? '';
    if (character === '\\') return this.#escaped();
    if (character === "'") return this.#singleQuoted();
    if (character === '"') return this.#doubleQuoted();
    if (character === '#' && this.#word === null) return this.#comment();
    if (this.text.startsWith('<<', this.#at) && this.text[this.#at + 2] !== '<')
      return this.#hereDocument();
    this.#at += 1;
    if (character === '\n') this.#skipHereTexts();
    if (SEPARATORS.has(character)) return this.#endCommand();
    if (character === '<' || character === '>' || /\s/.test(character)) return this.#endWord();
    this.#add(character);
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #escaped(): void {
    const next = this.text[this.#at + 1] ?? '';
    this.#at += 2;
    if (next !== '\n') this.#add(next);
  }

  #singleQuoted(): void {
    const end = this.#endOf("'", this.#at + 1);
    this.#add(this.text.slice(this.#at + 1, end));
    this.#at = end + 1;
  }

  #doubleQuoted(): void {
    let content = '';
    let at = this.#at + 1;
    while (at < this.text.length && this.text[at] !== '"') {
      if (this.text[at] === '\\' && /["\\$`]/.test(this.text[at + 1] ?? '')) at += 1;
      content += this.text[at] ?? '';
      at += 1;
    }
    this.#add(content);
    this.#at = at + 1;
  }

  #comment(): void {
    this.#at = this.#endOf('\n', this.#at);
  }

  #hereDocument(): void {
    this.#endWord();
    const match = /^<<-?[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([^\s;&|()<>`'"]+))/.exec(
      this.text.slice(this.#at, this.#at + 300),
    );
    this.#at += match?.[0].length ?? 2;
    const end = match?.[1] ?? match?.[2] ?? match?.[3];
    if (end !== undefined) this.#hereEnds.push(end);
  }

  #skipHereTexts(): void {
    for (const end of this.#hereEnds) {
      let isOver = false;
      while (!isOver && this.#at < this.text.length) {
        const next = this.#endOf('\n', this.#at);
        isOver = this.text.slice(this.#at, next).replace(/^\t+/, '') === end;
        this.#at = next + 1;
      }
    }
    this.#hereEnds = [];
  }

  #endOf(mark: string, from: number): number {
    const end = this.text.indexOf(mark, from);
    return end < 0 ? this.text.length : end;
  }

  #endWord(): void {
    if (this.#word !== null) this.#command.push(this.#word);
    this.#word = null;
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#command.length > 0) this.#commands.push(this.#command);
    this.#command = [];
  }
}
