import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { badValue, HoldfastError } from '../text/holdfast-error.ts';
import { errorCode, removeIfThere } from '../files/read-file.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { MAX_NAME, NAME, parseWorkflowName } from '../operations/start.ts';
import { makeFolder } from '../state/store/state-folder.ts';
import { pluralize } from '../text/relative-time.ts';
import type { FileProblem } from '../text/problem.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import { isTrusted } from '../templates/gates/trust.ts';
import { gatesOf } from '../templates/machine/gates.ts';
import type { ListedTemplate } from '../templates/find-template.ts';
import { command, type Shown } from './command.ts';
import { flag } from './options.ts';
import { paragraphs } from './view/layout.ts';
import type { CommandContext } from './view/output.ts';
import { table } from './view/table.ts';
import { templateDiagram } from './view/template-diagram.ts';
import { templateTree } from './view/template-tree.ts';

// Reading templates needs a YAML parser, which is loaded only when one of these commands runs.

const showTemplate = command({
  usage: 'show <template>',
  about: 'draw the steps of a template',
  examples: ['holdfast templates show feature', 'holdfast templates show feature --mermaid'],
  options: { mermaid: flag('print a Mermaid diagram') },
  run: async (context, { template }) => {
    const { templateFor } = await import('../operations/new-run.ts');
    return templateFor(context, template);
  },
  show: (_cli, { template, file, origin }, { mermaid }) => {
    const diagram = mermaid ? templateDiagram(template) : null;
    return {
      data: { template, file, origin, ...(diagram === null ? {} : { mermaid: diagram }) },
      text: diagram ?? templateTree(template, file),
      isExact: true,
    };
  },
});

const newTemplate = command({
  usage: 'new <name>',
  about: 'create a commented template to start from',
  examples: ['holdfast templates new release'],
  run: ({ root }, { name }) => createTemplate(root, name),
  show: (_cli, created) => ({
    data: created,
    text: [
      `Created ${created.path}.`,
      ...(created.replaces_built_in
        ? [`In this project it replaces the built-in template "${created.id}".`]
        : []),
      `Edit it, then check it: holdfast validate ${created.path}`,
      `Next: holdfast start --template ${created.id} "<what the run is about>"`,
    ].join('\n'),
  }),
});

export const templates = command({
  usage: 'templates',
  about: "list the templates, the project's own and the built-in ones",
  examples: [
    'holdfast templates',
    'holdfast templates show feature',
    'holdfast templates new release',
  ],
  agent: 'may',
  run: summaries,
  show: (cli, all) => showSummaries(cli, 'templates', all),
  subcommands: [showTemplate, newTemplate],
});

/** What earlier documents call them. */
export const workflows = command({
  usage: 'workflows',
  about: 'the same as templates',
  examples: [],
  isHidden: true,
  run: summaries,
  show: (cli, all) => showSummaries(cli, 'workflows', all),
  subcommands: [showTemplate, newTemplate],
});

interface CreatedTemplate {
  path: string;
  /** What finds it: `start --template <id>`. */
  id: string;
  /** Whether it takes the place of a built-in template in this project. */
  replaces_built_in: boolean;
}

/** A file that exists is never overwritten. */
async function createTemplate(root: string, given: string): Promise<CreatedTemplate> {
  const name = parseWorkflowName(given);
  if (name === null) throw badValue('<name>', given.slice(0, MAX_NAME), NAME);
  const { builtIn, stemOf, TEMPLATE_FOLDER } = await import('../templates/locations.ts');
  const { templateSkeleton } = await import('../templates/skeleton.ts');
  const id = slugOf(name);
  const path = `${TEMPLATE_FOLDER}/${id}.yaml`;
  makeFolder(root, TEMPLATE_FOLDER);
  try {
    // `wx` also refuses a symbolic link.
    writeFileSync(join(root, path), templateSkeleton(name), { flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      // A full disk leaves an empty file.
      removeIfThere(join(root, path));
      throw error;
    }
    throw new HoldfastError('template_exists', `${path} exists already`, {
      hint: 'choose another name, or edit that file',
    });
  }
  return { path, id, replaces_built_in: builtIn().some(({ file }) => stemOf(file) === id) };
}

interface TemplateSummary {
  id: string;
  name: string | null;
  description: string | null;
  steps: number | null;
  origin: ListedTemplate['origin'];
  file: string;
  shadowed: boolean;
  namesakes: string[];
  gates: number;
  trusted: boolean;
  problems: FileProblem[];
}

async function summaries(context: OperationContext): Promise<TemplateSummary[]> {
  const { listTemplates } = await import('../templates/find-template.ts');
  return listTemplates(context.root).map((listed) => summaryOf(listed, context));
}

/** Every template with its purpose, its origin and its problems. `key` names the list in the JSON. */
function showSummaries(cli: CommandContext, key: string, all: readonly TemplateSummary[]): Shown {
  const rows = all.map(({ id, steps, origin, description }) => [
    id,
    steps === null ? '?' : String(steps),
    origin,
    description ?? '(broken)',
  ]);
  const columns = [
    { title: 'TEMPLATE', min: 12, max: 24 },
    { title: 'STEPS', isOptional: true },
    { title: 'FROM', isOptional: true },
    { title: 'DOES', min: 10, max: 46 },
  ];
  const text = paragraphs([
    table(columns, rows, cli.output.columns ?? undefined),
    [...new Set(all.flatMap(notesOf))].join('\n'),
    'Start one: holdfast start --template <template>\nLook at one: holdfast templates show <template>',
  ]);
  return { data: { [key]: all }, text };
}

function summaryOf(
  { id, origin, file, shadowed, namesakes, reading }: ListedTemplate,
  context: OperationContext,
): TemplateSummary {
  const location = { id, origin, file, shadowed, namesakes };
  if (reading.kind === 'invalid') {
    const unknown = { name: null, description: null, steps: null, gates: 0, trusted: false };
    return { ...location, ...unknown, problems: reading.problems };
  }
  const { template } = reading;
  const { name, description, steps } = template;
  const gates = gatesOf(template).length;
  const trusted = gates > 0 && isTrusted(context, template);
  return { ...location, name, description, steps: steps.length, gates, trusted, problems: [] };
}

function notesOf({
  id,
  origin,
  file,
  shadowed,
  namesakes,
  gates,
  trusted,
  problems,
}: TemplateSummary): string[] {
  const [first, ...more] = problems;
  const name = sanitizeLine(id);
  return [
    ...(shadowed ? [`${name} (${origin}) is shadowed by a project template of the same name`] : []),
    ...(namesakes.length > 0 ? [ambiguous(name, [file, ...namesakes])] : []),
    ...(gates > 0 && !trusted
      ? [
          `${name} has ${pluralize(gates, 'command')} that will not run until you trust it: holdfast trust ${sanitizeLine(shellQuote(id))}`,
        ]
      : []),
    ...(first === undefined
      ? []
      : [
          `${sanitizeLine(first.file)}:${first.line}: ${first.message}`,
          ...(more.length > 0
            ? [`  and ${more.length} more: holdfast validate ${sanitizeLine(shellQuote(file))}`]
            : []),
        ]),
  ];
}

function ambiguous(name: string, files: string[]): string {
  const list = files.map(sanitizeLine).toSorted().join(', ');
  return `${name} is ambiguous and cannot be used: rename all but one of ${list}`;
}
