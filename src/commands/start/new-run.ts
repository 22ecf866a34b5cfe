import { basename, resolve } from 'node:path';
import { withholder } from '../../files/context-files.ts';
import { homeFolder } from '../../files/environment.ts';
import { locate } from '../../files/read-file.ts';
import {
  type OperationContext,
  projectPath,
  requireReadable,
  type Project,
} from '../../sessions/open-project.ts';
import { lastIn } from '../../sessions/session-registry.ts';
import { readAnyPlan, readStartedPlan } from '../../sources/parse/any-plan.ts';
import {
  newState as stateOfSource,
  sourceOf,
} from '../../sources/plan-sync.ts';
import { readSources } from '../../sources/read-sources.ts';
import { ANY_PLAN, type SourceUpdate } from '../../sources/types.ts';
import { withLocalFacts } from '../../state/edits.ts';
import { MAX_PLAN_BYTES, runFolder } from '../../state/paths.ts';
import type { Phase, RunState } from '../../state/types.ts';
import {
  findTemplate,
  isPath,
  listTemplates,
  type FoundTemplate,
} from '../../templates/find-template.ts';
import { isTrusted } from '../../templates/gates/trust.ts';
import { gatesOf } from '../../machine/gates.ts';
import type { InputValue } from '../../machine/machine-state.ts';
import { startTemplateRun } from '../../state/template-run.ts';
import type { Template } from '../../machine/template-types.generated.ts';
import {
  HoldfastError,
  badValue,
  unreadableInput,
} from '../../text/holdfast-error.ts';
import { proposedWord } from '../../text/shell-commands.ts';
import { slugOf } from '../../text/slug.ts';
import { type Details, fileText, parseDetails } from '../options.ts';
import { parseWorkflowName } from './start-run.ts';
import { ownEntry } from '../../text/json.ts';
import { asWord, quoted } from '../../text/sanitize.ts';

/** What is to be started. With a template, `name` is the summary of the run. */
export interface NewRun extends Details {
  name?: string | undefined;
  template?: string | undefined;
  /** A file with a plan; true for the plan that the person accepted last. */
  from?: string | true | undefined;
  type?: RunState['workflow_type'] | undefined;
  phases?: string[] | undefined;
}

/** The state that a new run begins with, and the plan that it follows from now on, if it has one. */
interface Beginning {
  state: RunState;
  plan: SourceUpdate | null;
}

export function newState(context: OperationContext, input: NewRun): Beginning {
  const details = parseDetails(context, input);
  requireOwnPhases(input);
  const workflow = workflowNameIn(input);
  const begun = beginningOf(context, input, workflow, details.set);
  return {
    ...begun,
    state: withDetails(begun.state, input, details, workflow),
  };
}

/** The phases of a template or plan are its own. */
function requireOwnPhases({ phases, template, from }: NewRun): void {
  if (phases === undefined) return;
  if (from === undefined && template === undefined) return;
  const why =
    from === undefined
      ? 'the steps of the template are the phases'
      : 'the plan of --from says what the phases are';
  throw badValue('--phases', phases.join(','), `nothing, as ${why}`);
}

/** With a template, what is typed as the name is the summary of the run. */
function workflowNameIn({ name, template, from }: NewRun): string | undefined {
  if (name === undefined) return undefined;
  const isSummary = template !== undefined && from === undefined;
  return isSummary ? undefined : parseWorkflowName(name);
}

function beginningOf(
  context: OperationContext,
  { name, template, from, phases }: NewRun,
  workflow: string | undefined,
  values: readonly (readonly [string, unknown])[],
): Beginning {
  if (from !== undefined) return newPlanRun(context, from, workflow);
  if (template === undefined)
    return { state: newRun(context, workflow, phases), plan: null };
  const inputs = Object.fromEntries(values);
  const state = newTemplateRun(context, template, name, inputs);
  return { state, plan: null };
}

/** The options add to what a plan or a template declares. */
function withDetails(
  begun: RunState,
  { template, type }: NewRun,
  { read, remind, set, setLocal, artifact }: ReturnType<typeof parseDetails>,
  workflow: string | undefined,
): RunState {
  // What is set for a template has become an input of it or a fact of the run.
  const facts = template === undefined ? set : [];
  const reminders = begun.key_reminders ?? [];
  const state: RunState = {
    ...withLocalFacts(begun, { set: facts, setLocal }),
    required_reading: [...new Set([...begun.required_reading, ...read])],
    context: {
      ...begun.context,
      ...Object.fromEntries([...facts, ...setLocal]),
    },
    key_reminders: [...new Set([...reminders, ...remind])],
  };
  if (artifact.length > 0) state.artifacts = Object.fromEntries(artifact);
  if (workflow !== undefined) state.workflow = workflow;
  if (type !== undefined) state.workflow_type = type;
  return state;
}

/** A run without a template. Without a list of phases it is open-ended: each phase is named when it begins. */
export function newRun(
  { root, now }: Project,
  workflow: string | undefined,
  phases?: string[],
): RunState {
  if (workflow === undefined)
    throw new HoldfastError('usage', '<name> is missing', {
      hint: 'give a name, --template <name> or --from <file>; `holdfast start --help` shows examples',
    });
  const slug = slugOf(workflow);
  const named = listTemplates(root).find(({ names }) => names.includes(slug));
  if (phases === undefined && named !== undefined) {
    const message = `there is a template called ${slug}; nothing was started`;
    const hint = `follow its steps: \`holdfast start --template ${proposedWord(named.id, '<template>')} "<what it is about>"\`; or without it: \`holdfast start ${proposedWord(workflow, '<name>')} --phases "<A,B,C>"\``;
    const toolHint =
      'give `template` instead of `name` to follow its steps, or another name';
    throw new HoldfastError('template_or_name', message, { hint, toolHint });
  }
  return {
    workflow,
    workflow_type: 'custom',
    phase: firstPhase(phases),
    ...(phases && { phases }),
    phase_set_by: 'command',
    required_reading: [],
    created_at: now.toISOString(),
    status: 'in_progress',
    source: { kind: 'cli' },
  };
}

function firstPhase(phases: readonly string[] | undefined): Phase {
  const isOpenEnded = phases === undefined;
  return {
    current: 1,
    total: phases?.length ?? 1,
    name: phases?.[0] ?? '',
    status: 'in_progress',
    ...(isOpenEnded && { total_known: false, line: '1' }),
  };
}

/** By name or path; an agent's path only inside the project. */
export function templateFor(
  context: OperationContext,
  nameOrPath: string,
): FoundTemplate {
  if (isPath(nameOrPath)) requireReadable(context, nameOrPath);
  return findTemplate(context.root, context.cwd, nameOrPath);
}

/** A run driven by a template. Values that are not inputs of the template are facts of the run. */
export function newTemplateRun(
  context: OperationContext,
  nameOrPath: string,
  summary: string | undefined,
  values: Readonly<Record<string, unknown>>,
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
      `no step of ${quoted(template.name)} applies: all of their conditions are false`,
      {
        hint: '`holdfast templates show` lists the conditions; set what they look at with --set <key>=<value>',
      },
    );
  if (gatesOf(template).length > 0 && !isTrusted(context, template))
    context.warn(
      `${quoted(template.name)} runs commands; before the first of them the user has to trust it for this project: holdfast trust ${proposedWord(nameOrPath, '<template>')}`,
    );
  return {
    ...run,
    ...(Object.keys(facts).length === 0 ? {} : { context: facts }),
    source: { kind: 'template', path: file },
  };
}

const MAX_ABOUT_CHARS = 200;

function inputsFrom(
  nameOrPath: string,
  { name: template, inputs = {} }: Template,
  values: Readonly<Record<string, unknown>>,
): Record<string, InputValue> {
  const all = Object.entries(inputs).map(
    ([name, { description, default: fallback, required }]) => {
      const value = inputValue(ownEntry(values, name)) ?? fallback;
      return {
        name,
        description,
        value,
        isMissing: required === true && (value ?? '') === '',
      };
    },
  );
  const missing = all.filter(({ isMissing }) => isMissing);
  if (missing.length > 0) {
    const needs = missing.map(
      ({ name, description }) =>
        `the input "${name}"${description === undefined ? '' : ` (${quoted(description, MAX_ABOUT_CHARS)})`}`,
    );
    const options = missing
      .map(({ name }) => `--set ${name}=<value>`)
      .join(' ');
    throw new HoldfastError(
      'missing_inputs',
      `${quoted(template)} needs ${needs.join(', ')}`,
      {
        hint: `add ${options}`,
        toolHint: `start it with \`holdfast start --template ${proposedWord(nameOrPath, '<template>')} ${options}\`: the tool takes no inputs`,
        data: {
          inputs: missing.map(({ name, description }) => ({
            name,
            description,
          })),
        },
      },
    );
  }
  return Object.fromEntries(
    all.flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}

/** Lists and objects count as the text that they were given as. */
function inputValue(value: unknown): InputValue | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
    ? value
    : JSON.stringify(value);
}

/** As for plans that hooks read. */
const MAX_PLAN_FILE_BYTES = 1_000_000;

/** Hooks read nothing outside the project: for a plan that is elsewhere, a copy is the source, which the state contains. */
function newPlanRun(
  context: OperationContext,
  typed: string | true,
  name: string | undefined,
): Beginning {
  const { root, settings, registry, now } = context;
  if (typed === true) {
    const plan = lastIn(registry, 'plan', root);
    if (plan !== undefined) return startedFromText(context, plan, name);
    throw new HoldfastError(
      'no_accepted_plan',
      'no plan was accepted in plan mode here',
      {
        hint: 'name the file: `holdfast start --from <file>`',
      },
    );
  }
  // A shell leaves the `~` of `--from=~/…` alone.
  const named = typed.replace(/^@/, '').replace(/^~(?=\/)/, homeFolder);
  requireReadable(context, named);
  const path = projectPath(context, named);
  const full = resolve(root, path);
  const text = fileText(full, typed, MAX_PLAN_FILE_BYTES);
  // A person may name a file that is kept from agents: nothing else of it is read later.
  const isFollowed =
    locate(root, full) === 'inside' &&
    path !== settings.detect.local_file &&
    !withholder(root)(path);
  if (!isFollowed) return startedFromText(context, { path, text }, name);

  const { sources } = readSources(root, settings.detect, {
    started: new Set([path]),
  });
  const source = sources.find((each) => each.path === path);
  if (source?.state !== 'active')
    throw refusal(path, source?.state === 'finished');
  return startedFrom(source, now);
}

/** `text` is the plan itself, where the state has to contain it. */
function startedFrom(plan: SourceUpdate, now: Date, text?: string): Beginning {
  const source = {
    ...sourceOf(plan),
    started: true,
    ...(text !== undefined && { text }),
  };
  const created_at = now.toISOString();
  return { state: { ...stateOfSource(plan, now), created_at, source }, plan };
}

/**
 * A run from a plan that hooks may not read where it is: the state has its text, and the store makes a file in the run's
 * folder from it, which is the source from then on.
 */
function startedFromText(
  { now }: Project,
  { path: original, text }: { path: string; text: string },
  name: string | undefined,
): Beginning {
  if (Buffer.byteLength(text) > MAX_PLAN_BYTES)
    throw unreadableInput(
      original,
      'it is larger than 64 KB; copy it into the project first',
    );
  const file = basename(original) || 'plan.md';
  const workflow = name ?? readAnyPlan(text, file)?.workflow ?? '';
  const path = `${runFolder({ slug: slugOf(workflow) })}/${file.replace(/(?:\.md)?$/, '.md')}`;
  const plan = { path, text, companions: new Map<string, string>() };
  // The path is a new one, which no tool writes, so the text is read as any Markdown plan.
  const format = undefined;
  const reading = readStartedPlan(plan, format);
  if (reading.state !== 'active')
    throw refusal(original, reading.state === 'finished');
  return startedFrom(
    { kind: 'plan', path, format: ANY_PLAN, ...reading },
    now,
    text,
  );
}

function refusal(plan: string, isFinished: boolean): HoldfastError {
  const path = asWord(plan);
  if (isFinished)
    return new HoldfastError(
      'plan_finished',
      `every item of ${path} is done: there is nothing to start`,
      {
        hint: 'add an open item, such as `- [ ] write the tests`, or start another run with `holdfast start <name>`',
      },
    );
  return new HoldfastError(
    'plan_without_phases',
    `${path} has no phases: no check boxes, and no numbered headings or steps`,
    {
      hint: 'add items such as `- [ ] write the tests` below headings, or name the phases yourself with `holdfast start <name> --phases "A,B,C" --read <file>`',
    },
  );
}
