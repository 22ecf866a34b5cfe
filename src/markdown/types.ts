/** More than one line is often a paragraph above a rule that lacks its blank line. */
export interface Heading {
  level: number;
  text: string;
  lines: number;
}

/** `text` is the whole line as a reader would see it, list and quote marks included, comments not. */
export interface MarkdownLine {
  number: number;
  text: string;
  kind: 'text' | 'code';
  heading?: Heading;
}
