import { readingList } from '../guidance/reading/required-reading.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { withLocalFacts } from '../state/edits.ts';
import { NEXT_ITEM, phaseLabel } from '../state/phases.ts';
import { type RunState, WORKFLOW_TYPES } from '../state/types.ts';
import { HoldfastError, badValue } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { badArgument, command, type Input, tool } from './command.ts';
import {
  DETAILS,
  choiceOption,
  flag,
  namesFrom,
  parseDetails,
  parsedOption,
  textOption,
  textsOption,
} from './options.ts';
import { ACCEPTED, type PlanRun, newPlanRun } from './start/plan-run.ts';
import { type StartedRun, parseWorkflowName, startRun } from './start/start-run.ts';
import { UNKNOWN_WIDTH, section, type CommandContext, type Output } from './view/output.ts';
import { runReply } from './view/replies.ts';
import { NO_SESSION, resumeText, showChange, warnAboutReading } from './view/report-run.ts';
import { phaseList, planLine, readingLine } from './view/status-text.ts';

const TOOL = 'workflow_start';
const DEFAULT_TEMPLATE = 'default';

const OPTIONS = {
  template: textOption(
    'the template that drives the run, by name or file; [name] is then a summary of the run',
    'template',
  ),
  fromPlan: {
    ...textOption(
      'a Markdown plan whose check boxes, headings or steps become the phases; without a file the plan that was accepted last in plan mode',
      'file',
    ),
    isValueOptional: true as const,
    conflicts: 'template',
    parse: (given: unknown): string | typeof ACCEPTED | undefined =>
      typeof given === 'string' ? given : given === true ? ACCEPTED : undefined,
  },
  type: choiceOption('the kind of work', 'type', WORKFLOW_TYPES),
  phases: parsedOption('the names of the phases, separated by commas', 'names', namesFrom),
  ...DETAILS,
  switch: flag('release the run that this session holds'),
};

/** With a template, `name` is the summary of the run. */
type StartInput = Input<'start [name]', typeof OPTIONS>;

export const start = command({
  usage: 'start [name]',
  about: 'start a run of a workflow, with phase 1 in progress',
  examples: [
    'holdfast start "User Auth" --type implementation --phases "Design,Build,Review" --read docs/spec.md',
    'holdfast start --template feature "log in with a magic link"',
    'holdfast start --from-plan docs/plan.md',
  ],
  agent: 'may',
  options: OPTIONS,
  run: async (context, input) => {
    const { state, update: plan } = await newState(context, input);
    return startRun(context, state, { switches: input.switch, plan });
  },
  show: (cli, started, input) => {
    const { run, isNew, action, artifacts, unheld } = started;
    const reading = readingList(run.state, cli.root, cli.launchFolder);
    const { colors } = cli.output;
    const shown = showChange(cli, run, {
      done: doneText(cli, started),
      isMove: true,
      action,
      details: [
        input.fromPlan === undefined
          ? ''
          : section(colors.bold('Plan'), planLines(cli.output, run.state)),
        section(
          colors.bold('Required reading'),
          reading.map((entry) => readingLine(entry, colors)),
        ),
        artifacts?.text ?? '',
      ],
      data: {
        ...(artifacts === null ? {} : { artifacts: artifacts.due }),
        existing: unheld.map(({ runId }) => runId),
      },
    });
    if (isNew) warnAboutReading(cli, shown.data.reading);
    else
      cli.output.warn(
        'nothing was started or changed; `holdfast update` changes the run, --switch starts another',
      );
    return shown;
  },
  tool: tool({
    name: TOOL,
    about:
      'Starts a workflow and returns its first step: of `template` (default: "default": plan, build, verify), or with only ' +
      '`name` a run without steps. A run of that template that this session or nobody works on is returned instead.',
    takes: {
      template: textOption('Name (`holdfast templates`) or file of a template'),
      name: textOption('Name of a run without steps'),
      phases: textsOption('Its phases, if known'),
      summary: textOption('What this run is about, in one line'),
      new: flag('Start another in any case'),
    },
    reply: async (context, input) => {
      const state = await stateForAgent(context, input);
      const started = startRun(context, state, { switches: false, prefersFree: !input.new });
      const { run, isNew, action, artifacts, unheld } = started;
      const lead = isNew
        ? `Started ${run.runId}.`
        : unheld.length === 0
          ? `This session already runs it: ${run.runId}. Nothing was started.`
          : `This template already has a run that nobody works on: ${run.runId}; \`${continuation(context, run.runId)}\` continues it, \`new\` starts another. Nothing was started.`;
      return {
        ...existingRuns(context, started),
        ...runReply(context, { run, action, artifacts }, lead),
      };
    },
  }),
});

async function newState(context: OperationContext, input: StartInput): Promise<PlanRun> {
  const { name, template, fromPlan, type, phases } = input;
  const details = parseDetails(context, input);
  const given = type === undefined ? {} : { workflow_type: type };
  if (phases !== undefined && (fromPlan ?? template) !== undefined)
    throw badValue(
      '--phases',
      phases.join(','),
      `nothing, as ${fromPlan === undefined ? 'the steps of the template are the phases' : 'the plan of --from-plan says what the phases are'}`,
    );
  if (fromPlan !== undefined) {
    const workflow = name === undefined ? undefined : workflowName(name);
    const { state, update } = newPlanRun(context, fromPlan, workflow);
    const named = workflow === undefined ? {} : { workflow };
    return { state: { ...withDetails(state, details), ...named, ...given }, update };
  }
  // Reading templates needs a YAML parser, which takes time to load.
  const { newRun, newTemplateRun } = await import('./start/new-run.ts');
  if (template !== undefined) {
    const run = newTemplateRun(context, template, name, Object.fromEntries(details.set));
    // What is set has become an input of the template or a fact of the run.
    return { state: { ...withDetails(run, { ...details, set: [] }), ...given }, update: null };
  }
  if (name === undefined)
    throw new HoldfastError('usage', '<name> is missing', {
      hint: 'give a name, --template <name> or --from-plan <file>; `holdfast start --help` shows examples',
    });
  const run = newRun(context, workflowName(name), phases);
  return { state: { ...withDetails(run, details), ...given }, update: null };
}

function workflowName(given: string): string {
  return parseWorkflowName(given, (expected, shown) => badValue('<name>', shown, expected));
}

/** The options add to what a plan or a template declares. */
function withDetails(
  state: RunState,
  { read, remind, set, setLocal, artifact }: ReturnType<typeof parseDetails>,
): RunState {
  return {
    ...withLocalFacts(state, { set, setLocal }),
    required_reading: [...new Set([...state.required_reading, ...read])],
    context: { ...state.context, ...Object.fromEntries([...set, ...setLocal]) },
    key_reminders: [...new Set([...(state.key_reminders ?? []), ...remind])],
    ...(artifact.length === 0 ? {} : { artifacts: Object.fromEntries(artifact) }),
  };
}

/** What exists already comes first: the user may want to continue it instead. */
function doneText(cli: CommandContext, { run, isNew, unheld }: StartedRun): string {
  if (!isNew) return `This session already runs it: ${run.runId}.`;
  const existing = unheld.map(
    ({ runId, state }) =>
      `A run of this template that nobody holds is in phase ${sanitizeLine(phaseLabel(state.phase))}: ${runId}. ${resumeText(cli, runId)} continues it.`,
  );
  return [
    ...existing,
    `Started ${run.runId}.`,
    ...(cli.session === null
      ? [`${NO_SESSION} To work on it: ${resumeText(cli, run.runId)}.`]
      : []),
  ].join('\n');
}

/** What was understood of the plan, so that the user sees at once if it is not what they meant. */
function planLines({ colors, columns }: Output, state: RunState): string[] {
  const next = state.context?.[NEXT_ITEM];
  const { inline, lines } = phaseList(state, colors, (columns ?? UNKNOWN_WIDTH) - 2);
  return [
    planLine(state),
    ...(inline === '' ? lines : [inline]),
    ...(typeof next === 'string' ? [`next item: ${sanitizeLine(next)}`] : []),
  ];
}

async function stateForAgent(
  context: OperationContext,
  {
    template,
    name,
    phases,
    summary,
  }: Record<'template' | 'name' | 'summary', string | undefined> & { phases: string[] },
): Promise<RunState> {
  if (template !== undefined && name !== undefined)
    throw badArgument(TOOL, 'name', 'left out if template is given; describe the run in summary');
  if (name === undefined && phases.length > 0)
    throw badArgument(TOOL, 'phases', 'left out without name: a template has its own steps');
  const { newRun, newTemplateRun } = await import('./start/new-run.ts');
  if (name === undefined) return newTemplateRun(context, template ?? DEFAULT_TEMPLATE, summary);
  const bad = (expected: string): HoldfastError => badArgument(TOOL, 'name', expected);
  const state = newRun(
    context,
    parseWorkflowName(name, bad),
    phases.length === 0 ? undefined : phases,
  );
  return summary === undefined ? state : { ...state, context: { summary } };
}

/** Without a session, nobody can take a run: each call names it. */
function continuation({ session }: OperationContext, run: string): string {
  return session === null ? `workflow_status {"run":"${run}"}` : `holdfast resume ${run}`;
}

/** Also in the reply that only asks for a context action. */
function existingRuns(context: OperationContext, { unheld, run, isNew }: StartedRun): object {
  const existing = unheld.length > 0 ? unheld : isNew ? [] : [run];
  if (existing.length === 0) return {};
  return {
    existing: existing.map(({ runId, state }) => ({
      run: runId,
      workflow: state.workflow,
      phase: phaseLabel(state.phase),
      continue: unheld.length > 0 ? continuation(context, runId) : 'workflow_status',
    })),
  };
}
