import type { Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';

export function defineTemplates({ program, context }: ProgramContext): void {
  const templates = addCommand(
    program,
    'templates',
    "list the templates, the project's own and the built-in ones",
    ['holdfast templates', 'holdfast templates show feature', 'holdfast templates new release'],
  ).action(async (_options, command: Command) => {
    const { templates: list } = await import('../commands/templates.ts');
    list(context(command), 'templates');
  });

  const workflows = program
    .command('workflows', { hidden: true })
    .description('the same as templates')
    .action(async (_options, command: Command) => {
      const { templates: list } = await import('../commands/templates.ts');
      list(context(command), 'workflows');
    });

  for (const parent of [templates, workflows]) defineOneTemplate(parent, context);

  addCommand(
    program,
    'trust <template>',
    'show the commands of a template and allow it to run them',
    ['holdfast trust deploy', 'holdfast trust .claude/holdfast/workflows/deploy.yaml --yes'],
  )
    .option('--yes', 'do not ask for confirmation')
    .action(async (template: string, options, command: Command) => {
      const { trust } = await import('../commands/trust.ts');
      await trust(context(command), template, options);
    });

  addCommand(program, 'untrust <template>', 'revoke the trust in a template', [
    'holdfast untrust deploy',
  ]).action(async (template: string, _options, command: Command) => {
    const { untrust } = await import('../commands/untrust.ts');
    untrust(context(command), template);
  });

  addCommand(
    program,
    'validate [files...]',
    'check state files, templates and settings against their schemas (default: all of them)',
    ['holdfast validate', 'holdfast validate .claude/holdfast/workflows/deploy.yaml'],
  ).action(async (files: string[], _options, command: Command) => {
    const { validate } = await import('../commands/validate.ts');
    validate(context(command), files);
  });
}

function defineOneTemplate(parent: Command, context: ProgramContext['context']): void {
  addCommand(parent, 'show <template>', 'draw the steps of a template', [
    'holdfast templates show feature',
    'holdfast templates show feature --mermaid',
  ])
    .option('--mermaid', 'print a Mermaid diagram')
    .action(async (template: string, options, command: Command) => {
      const { showTemplate } = await import('../commands/show-template.ts');
      showTemplate(context(command), template, options);
    });

  addCommand(parent, 'new <name>', 'create a commented template to start from', [
    'holdfast templates new release',
  ]).action(async (name: string, _options, command: Command) => {
    const { newTemplate } = await import('../commands/new-template.ts');
    newTemplate(context(command), name);
  });
}
