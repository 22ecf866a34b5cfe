import { findTemplate } from '../../workflow/template/find-template.ts';
import type { CommandContext } from '../context.ts';
import { templateDiagram } from '../output/template-diagram.ts';
import { templateTree } from '../output/template-tree.ts';

/** Draws the steps of a template, as a tree or as a Mermaid diagram. */
export function showTemplate(
  cli: CommandContext,
  nameOrPath: string,
  options: { mermaid?: boolean },
): void {
  const { template, file, origin } = findTemplate(cli.root, cli.cwd, nameOrPath);
  const diagram = options.mermaid === true ? templateDiagram(template) : null;
  cli.output.result(
    { template, file, origin, ...(diagram === null ? {} : { mermaid: diagram }) },
    diagram ?? templateTree(template, file),
  );
}
