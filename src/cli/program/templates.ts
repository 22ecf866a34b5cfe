import type { Command } from 'commander';
import { addCommand, type ProgramContext } from './define.ts';

export function defineTemplates({ program, context }: ProgramContext): void {
  addCommand(program, 'workflows', "list the templates, the project's own and the built-in ones", [
    'holdfast workflows',
  ]).action(async (_options, command: Command) => {
    const { workflows } = await import('../commands/workflows.ts');
    workflows(context(command));
  });

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
