import { createTemplate } from '../../operations/new-template.ts';
import type { CommandContext } from '../context.ts';

/** Writes a commented template to start from. */
export function newTemplate(cli: CommandContext, name: string): void {
  const { path, id } = createTemplate(cli, name);
  cli.output.result(
    { path, id },
    [
      `Created ${path}.`,
      `Edit it, then check it: holdfast validate ${path}`,
      `Next: holdfast start --template ${id} "<what the run is about>"`,
    ].join('\n'),
  );
}
