export interface Heading {
  level: number;
  text: string;
  /** Always 1 for `# Title`. Several lines above `---` are often a paragraph and a rule without a blank line between. */
  lines: number;
  /** Whether a line of `===` or `---` below makes it a heading. */
  isUnderlined: boolean;
}

/** `text` is the whole line as a reader sees it: with list and quote marks, without comments. */
export interface MarkdownLine {
  number: number;
  text: string;
  kind: 'text' | 'code';
  heading?: Heading;
}
