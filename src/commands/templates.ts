import { join } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { replaceText } from '../files/atomic-write.ts';
import { translateFsErrors } from '../files/fs-errors.ts';
import type { Project } from '../sessions/open-project.ts';
import { parseWorkflowName } from './start/start-run.ts';
import { makeFolder } from '../state/store/state-folder.ts';
import { pluralize } from '../text/relative-time.ts';
import { asWord, sanitizeLine } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import { isTrusted } from '../templates/gates/trust.ts';
import { gatesOf } from '../machine/gates.ts';
import { command, type Shown } from './command.ts';
import type {
  NewTemplateDocument,
  TemplateDocument,
  TemplatesDocument,
} from './json/documents.ts';
import { templateTree } from './templates/tree.ts';
import { paragraphs, type CommandContext, table } from './view/output.ts';

// Reading templates needs a YAML parser, which is loaded only when one of these commands runs.

const showTemplate = command({
  usage: 'show <template>',
  about: 'draw the steps of a template',
  examples: ['holdfast templates show feature'],
  run: async (cli, { template }): Promise<Shown<TemplateDocument>> => {
    const { templateFor } = await import('./start/new-run.ts');
    const found = templateFor(cli, template);
    return { data: found, text: templateTree(found.template, found.file) };
  },
});

const newTemplate = command({
  usage: 'new <name>',
  about: 'create a commented template to start from',
  examples: ['holdfast templates new release'],
  run: async ({ root }, { name }): Promise<Shown<NewTemplateDocument>> => {
    const created = await createTemplate(root, name);
    const { path, id } = created;
    const replaced = `In this project it replaces the built-in template "${id}".`;
    const text = [
      `Created ${path}.`,
      ...(created.replaces_built_in ? [replaced] : []),
      `Edit it, then check it: holdfast validate ${path}`,
      `Next: holdfast start --template ${id} "<what the run is about>"`,
    ].join('\n');
    return { data: created, text };
  },
});

export const templates = command({
  usage: 'templates',
  about: "list the templates, the project's own and the built-in ones",
  examples: [
    'holdfast templates',
    'holdfast templates show feature',
    'holdfast templates new release',
  ],
  run: listAll,
  subcommands: [showTemplate, newTemplate],
});

async function createTemplate(
  root: string,
  input: string,
): Promise<NewTemplateDocument> {
  const name = parseWorkflowName(input);
  const { builtIn, stemOf, TEMPLATE_FOLDER } =
    await import('../templates/find-template.ts');
  const { skeleton } = await import('../templates/skeleton.generated.ts');
  const text = skeleton.replace('NAME', () => JSON.stringify(name));
  const id = slugOf(name);
  const path = `${TEMPLATE_FOLDER}/${id}.yaml`;
  const full = join(root, path);
  if (fse.existsSync(full))
    throw new HoldfastError('template_exists', `${path} exists already`, {
      hint: 'choose another name, or edit that file',
    });
  makeFolder(root, TEMPLATE_FOLDER);
  translateFsErrors(path, () => replaceText(full, text));
  return {
    path,
    id,
    replaces_built_in: builtIn().some(({ file }) => stemOf(file) === id),
  };
}

type TemplateSummary = TemplatesDocument['templates'][number];

async function summaries(context: Project): Promise<TemplateSummary[]> {
  const { listTemplates } = await import('../templates/find-template.ts');
  return listTemplates(context.root).map(
    ({ reading, names: _names, ...location }) => {
      const template = reading.kind === 'invalid' ? null : reading.template;
      const { name = null, description = null, steps } = template ?? {};
      const gates = template === null ? 0 : gatesOf(template).length;
      return {
        ...location,
        name,
        description,
        steps: steps?.length ?? null,
        gates,
        trusted: template !== null && gates > 0 && isTrusted(context, template),
        problems: reading.kind === 'invalid' ? reading.problems : [],
      };
    },
  );
}

async function listAll(cli: CommandContext): Promise<Shown<TemplatesDocument>> {
  const all = await summaries(cli);
  const rows = all.map(({ id, steps, origin, description }) => [
    id,
    steps === null ? '?' : String(steps),
    origin,
    description ?? '(broken)',
  ]);
  const columns = ['TEMPLATE', 'STEPS', 'FROM', 'DOES'];
  const text = paragraphs([
    table(columns, rows, cli.output.columns ?? Infinity),
    [...new Set(all.flatMap(notesOf))].join('\n'),
    'Start one: holdfast start --template <template>\nLook at one: holdfast templates show <template>',
  ]);
  return { data: { templates: all }, text };
}

/** What is to be known of a template beside its line in the table. */
function notesOf(summary: TemplateSummary): string[] {
  const { id, origin, file, shadowed, gates, trusted, problems } = summary;
  const notes: string[] = [];
  if (shadowed)
    notes.push(
      `${asWord(id)} (${origin}) is shadowed by a project template of the same name`,
    );
  if (gates > 0 && !trusted) {
    const typed = `holdfast trust ${proposedWord(id, '<template>')}`;
    notes.push(
      `${asWord(id)} has ${pluralize(gates, 'command')} that will not run here until trusted: ${typed}`,
    );
  }
  const [first, ...more] = problems;
  if (first !== undefined)
    notes.push(`${asWord(first.file)}:${first.line}: ${first.message}`);
  if (more.length > 0)
    notes.push(
      `and ${more.length} more: holdfast validate ${proposedWord(file, '<file>')}`,
    );
  return notes.map(sanitizeLine);
}
