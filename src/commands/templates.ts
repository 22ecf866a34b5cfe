import { join } from 'node:path';
import fse from 'fs-extra';
import { HoldfastError } from '../text/holdfast-error.ts';
import { replaceText } from '../files/atomic-write.ts';
import { translateFsErrors } from '../files/fs-errors.ts';
import type { Project } from '../sessions/open-project.ts';
import { parseWorkflowName } from './start/start-run.ts';
import { makeFolder } from '../state/store/state-folder.ts';
import { pluralize } from '../text/relative-time.ts';
import { asWord, sanitizeLine, truncate } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import { isTrusted } from '../templates/gates/trust.ts';
import { contextBefore } from '../machine/enter-step.ts';
import { gatesOf } from '../machine/gates.ts';
import { loopsOf } from '../machine/position.ts';
import type {
  Step,
  SubStep,
  Template,
} from '../machine/template-types.generated.ts';
import { command, type Shown } from './command.ts';
import type {
  NewTemplateDocument,
  TemplateDocument,
  TemplatesDocument,
} from './json/documents.ts';
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

function notesOf(summary: TemplateSummary): string[] {
  const { id, origin, file, shadowed, gates, trusted, problems } = summary;
  const [first, ...more] = problems;
  const notes = [
    shadowed &&
      `${asWord(id)} (${origin}) is shadowed by a project template of the same name`,
    gates > 0 &&
      !trusted &&
      `${asWord(id)} has ${pluralize(gates, 'command')} that will not run here until trusted: holdfast trust ${proposedWord(id, '<template>')}`,
    first !== undefined &&
      `${asWord(first.file)}:${first.line}: ${first.message}`,
    more.length > 0 &&
      `and ${more.length} more: holdfast validate ${proposedWord(file, '<file>')}`,
  ];
  return notes.filter((note) => note !== false).map(sanitizeLine);
}

const MAX_LINE = 120;

/** A small tree, with everything that decides how a run moves; `markOf` marks where each step of a run stands. */
export function templateTree(
  template: Template,
  file: string,
  markOf: (n: number) => string = () => '',
): string {
  const { name, description, steps, inputs = {}, transitions = [] } = template;
  const inputLines = Object.entries(inputs).map(
    ([key, { default: value, required, ...input }]) => {
      const needed = required === true ? ' (required)' : '';
      const how = value === undefined ? needed : ` (default: ${String(value)})`;
      return `${key}${how}${input.description === undefined ? '' : `: ${input.description}`}`;
    },
  );
  const transitionLines = transitions.map(({ from, to, context, preserve }) => {
    const action = context === 'keep' ? 'keep the conversation' : `/${context}`;
    const carried =
      preserve === undefined
        ? ''
        : `, carrying over ${preserve.map((key) => asWord(key)).join(', ')}`;
    return `${from} → ${to}: ${action}${carried}`;
  });
  return [
    `${asWord(name)}: ${asWord(description, MAX_LINE)}`,
    asWord(file),
    '',
    ...titled('Inputs', inputLines),
    ...steps.flatMap((step, index) =>
      stepLines(template, step, index, markOf(index + 1)),
    ),
    ...titled('\nTransitions', transitionLines),
    ...boundaryLines(template),
  ]
    .map((text) => {
      // Templates come from repositories; indentation is ours.
      const indent = /^[│├└─ ]*/.exec(text)?.[0] ?? '';
      const line = `${indent}${sanitizeLine(text.slice(indent.length))}`;
      // A command that will be run is shown whole.
      return /(?:gate|until): /.test(line) ? line : truncate(line, MAX_LINE);
    })
    .join('\n')
    .trimEnd();
}

/** How often a run asks for /compact or /clear, as each costs time and tokens; fewer where steps are passed by. */
function boundaryLines(template: Template): string[] {
  let once = 0;
  const perTask: string[] = [];
  template.steps.forEach((step, index) => {
    const cameFrom = template.steps[index - 1]?.id;
    const count = (subStep?: SubStep, from?: string): number =>
      contextBefore(template, step, subStep, from) === undefined ? 0 : 1;
    const subSteps = loopsOf(template).get(step.id)?.subSteps ?? [];
    const each = subSteps.reduce((sum, subStep) => sum + count(subStep), 0);
    if (each > 0) perTask.push(`${each} for each task of ${step.id}`);
    once +=
      step.type === 'loop'
        ? Math.max(0, count(subSteps[0], cameFrom) - count(subSteps[0]))
        : count(undefined, cameFrom) + ((step.n ?? 1) - 1) * count();
  });
  const parts = [...(once > 0 ? [`up to ${once} in a run`] : []), ...perTask];
  if (parts.length === 0) return [];
  const text = `Boundaries (/compact or /clear): ${parts.join(', ')}`;
  return (template.transitions ?? []).length === 0 ? ['', text] : [text];
}

const titled = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0
    ? []
    : [...title.split('\n'), ...lines.map((line) => `  ${line}`), ''];

function stepLines(
  template: Template,
  step: Step,
  index: number,
  mark: string,
): string[] {
  const isLast = index === template.steps.length - 1;
  const [branch, below] = isLast ? ['└─', '   '] : ['├─', '│  '];
  const {
    id,
    title,
    type,
    n = 1,
    when,
    until,
    on_reject: target,
    artefacts,
  } = step;
  const kind = {
    action: '',
    ralph: ` (ralph, up to ${n} times)`,
    loop: ' (loop, for each task)',
    approval: ' (approval by the user)',
  }[type];
  const facts = [
    when !== undefined && `only when ${when}`,
    until !== undefined && `until: ${until}`,
    target !== undefined && `rejected: back to ${target}`,
    artefacts === true && 'records the files that the session writes',
    Array.isArray(artefacts) &&
      artefacts.length > 0 &&
      `leaves ${artefacts.map((path) => asWord(path)).join(', ')}`,
  ].filter((fact) => fact !== false);
  const subSteps = loopsOf(template).get(id)?.subSteps ?? [];
  return [
    `${branch} ${mark}${index + 1} ${id}${title === undefined ? '' : `: ${title}`}${kind}`,
    ...[...facts, ...sharedFacts(step)].map((fact) => `${below}   ${fact}`),
    ...subSteps.map((subStep, at) => {
      const words = [subStep.id, ...sharedFacts(subStep)].join(', ');
      return `${below}${at === subSteps.length - 1 ? '└─' : '├─'} ${words}`;
    }),
  ];
}

function sharedFacts(
  step: Pick<Step, 'context' | 'agent' | 'gate' | 'on_fail'>,
) {
  const { context, agent, gate, on_fail: onFail } = step;
  return [
    context !== undefined && `/${context} first`,
    agent !== undefined && `by ${agent}`,
    gate !== undefined && `gate: ${gate}`,
    onFail !== undefined && `on failure: ${onFail}`,
  ].filter((fact) => fact !== false);
}
