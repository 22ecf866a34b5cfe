import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

/** What a command definition is given. The code of a command is imported only when it runs. */
export interface ProgramContext {
  program: Command;
  /** With `isLook` the session is not marked as seen afterwards. */
  context: (command: Command, options?: { isLook: boolean }) => CommandContext;
}

export function addCommand(
  program: Command,
  usage: string,
  description: string,
  examples: string[],
): Command {
  const lines = examples.map((example) => `  $ ${example}`).join('\n');
  return program
    .command(usage)
    .description(description)
    .addHelpText('after', `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${lines}`);
}

export function collect(value: string, values: string[] = []): string[] {
  return [...values, value];
}
