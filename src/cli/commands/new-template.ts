import { createTemplate } from '../../operations/new-template.ts';
import type { CommandContext } from '../context.ts';

/** Writes a commented template to start from. */
export function newTemplate(cli: CommandContext, name: string): void {
  const created = createTemplate(cli, name);
  const { path, id } = created;
  cli.output.result(
    created,
    [
      `Created ${path}.`,
      ...(created.replaces_built_in
        ? [`In this project it replaces the built-in template "${id}".`]
        : []),
      `Edit it, then check it: holdfast validate ${path}`,
      `Next: holdfast start --template ${id} "<what the run is about>"`,
    ].join('\n'),
  );
}
