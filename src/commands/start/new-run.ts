import { type OperationContext, requireReadable } from '../../sessions/open-project.ts';
import type { RunState } from '../../state/types.ts';
import {
  findTemplate,
  isPath,
  listTemplates,
  type FoundTemplate,
} from '../../templates/find-template.ts';
import { isTrusted } from '../../templates/gates/trust.ts';
import { gatesOf } from '../../templates/machine/gates.ts';
import { type InputValue, ownEntry } from '../../templates/machine/machine-state.ts';
import { startTemplateRun } from '../../templates/template-run.ts';
import type { Template } from '../../templates/template-types.generated.ts';
import { HoldfastError } from '../../text/holdfast-error.ts';
import { shellQuote } from '../../text/shell-commands.ts';
import { slugOf } from '../../text/slug.ts';

/** A run without a template. Without a list of phases it is open-ended: each phase is named when it begins. */
export function newRun(context: OperationContext, workflow: string, phases?: string[]): RunState {
  const { root } = context;
  const slug = slugOf(workflow);
  const named = listTemplates(root).find(({ names }) => names.includes(slug));
  if (phases === undefined && named !== undefined)
    throw new HoldfastError(
      'template_or_name',
      `there is a template called ${slug}; nothing was started`,
      {
        hint: `follow its steps: \`holdfast start --template ${named.id} "<what it is about>"\`; or without it: \`holdfast start "${workflow}" --phases "<A,B,C>"\``,
        toolHint: `give \`template\` instead of \`name\` to follow its steps, or another name`,
      },
    );
  const first = { current: 1, total: phases?.length ?? 1, name: phases?.[0] ?? '' };
  return {
    workflow,
    workflow_type: 'custom',
    phase: {
      ...first,
      status: 'in_progress',
      ...(phases === undefined && { total_known: false, line: '1' }),
    },
    ...(phases && { phases }),
    phase_set_by: 'command',
    required_reading: [],
    created_at: context.now.toISOString(),
    status: 'in_progress',
    source: { kind: 'cli' },
  };
}

/** By name or path; an agent's path only inside the project. */
export function templateFor(context: OperationContext, nameOrPath: string): FoundTemplate {
  if (isPath(nameOrPath)) requireReadable(context, nameOrPath);
  return findTemplate(context.root, context.cwd, nameOrPath);
}

/** A run driven by a template. Values that are not inputs of the template are facts of the run. */
export function newTemplateRun(
  context: OperationContext,
  nameOrPath: string,
  summary: string | undefined,
  values: Readonly<Record<string, unknown>> = {},
): RunState {
  const { template, file } = templateFor(context, nameOrPath);
  const declared = template.inputs ?? {};
  const facts = Object.fromEntries(
    Object.entries(values).filter(([key]) => !Object.hasOwn(declared, key)),
  );
  const run = startTemplateRun(template, summary, context.now, {
    inputs: inputsFrom(nameOrPath, template, values),
    facts: { context: facts },
  });
  if (run.status === 'completed')
    throw new HoldfastError(
      'nothing_to_do',
      `no step of "${template.name}" applies: all of their conditions are false`,
      {
        hint: '`holdfast templates show` lists the conditions; set what they look at with --set <key>=<value>',
      },
    );
  if (gatesOf(template).length > 0 && !isTrusted(context, template))
    context.warn(
      `"${template.name}" runs commands; before the first of them the user has to trust it: holdfast trust ${shellQuote(nameOrPath)}`,
    );
  return {
    ...run,
    ...(Object.keys(facts).length === 0 ? {} : { context: facts }),
    source: { kind: 'template', path: file },
  };
}

/** Throws if an input is required and has neither a value nor a default. */
function inputsFrom(
  nameOrPath: string,
  { name: template, inputs = {} }: Template,
  values: Readonly<Record<string, unknown>>,
): Record<string, InputValue> {
  const found: [string, InputValue][] = [];
  const missing: { name: string; description?: string }[] = [];
  for (const [name, { description, default: fallback, required }] of Object.entries(inputs)) {
    const value = inputValue(ownEntry(values, name)) ?? fallback;
    if (value !== undefined && value !== '') found.push([name, value]);
    else if (required === true)
      missing.push({ name, ...(description === undefined ? {} : { description }) });
    else if (value !== undefined) found.push([name, value]);
  }
  if (missing.length > 0) {
    const needs = missing.map(
      ({ name, description }) =>
        `the input "${name}"${description === undefined ? '' : ` (${description})`}`,
    );
    const options = missing.map(({ name }) => `--set ${name}=<value>`).join(' ');
    throw new HoldfastError('missing_inputs', `"${template}" needs ${needs.join(', ')}`, {
      hint: `add ${options}`,
      toolHint: `start it with \`holdfast start --template ${shellQuote(nameOrPath)} ${options}\`: the tool takes no inputs`,
      data: { inputs: missing },
    });
  }
  return Object.fromEntries(found);
}

/** Lists and objects count as the text that they were given as. */
function inputValue(value: unknown): InputValue | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value);
}
