import { createInterface } from 'node:readline/promises';

/** Whether somebody can be asked: questions are written to standard error and answered on standard input. */
export const canAsk = (): boolean =>
  process.stderr.isTTY && process.stdin.isTTY;

/** Asks for a line on the terminal; empty if the person closes it. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({
    input: process.stdin,
    output: process.stderr,
  });
  const answer = await new Promise<string>((settle) => {
    // Ctrl-C and Ctrl-D close the terminal and count as no answer.
    terminal.once('close', () => settle(''));
    void terminal.question(question).then(settle, () => settle(''));
  });
  terminal.close();
  return answer.trim();
}

/** Asks a question on the terminal that `y` or `yes` answers with yes, and everything else with no. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test(await ask(`${question} [y/N] `));
}
