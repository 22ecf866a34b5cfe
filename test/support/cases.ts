/** One case a line: what is written, with ¶ for a new line, and after `=>` what comes of it. */
export function cases(table: string): [text: string, outcome: string][] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split('=>').map((cell) => cell.trim()))
    .map(([text = '', outcome = '']) => [
      text.replaceAll(/ ¶ ?/g, '\n'),
      outcome,
    ]);
}
