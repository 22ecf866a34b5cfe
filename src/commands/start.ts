import { badValue } from '../text/holdfast-error.ts';
import { newPlanRun, type PlanRun } from '../operations/start-from-plan.ts';
import type { OperationContext } from '../operations/open-project.ts';
import {
  MAX_NAME,
  NAME,
  parseWorkflowName,
  startRun,
  type StartedRun,
} from '../operations/start.ts';
import { projectFiles, readingList } from '../guidance/reading/reading-list.ts';
import { withLocalFacts } from '../state/edits.ts';
import { NEXT_ITEM, phaseLabel } from '../state/phases.ts';
import { WORKFLOW_TYPES, type RunState } from '../state/types.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command, badArgument, tool } from './command.ts';
import { UsageError } from './exit-code.ts';
import {
  flag,
  listOption,
  namesFrom,
  pairsOption,
  parsedOption,
  parseDetails,
  textOption,
  type Bad,
  type Details,
} from './options.ts';
import { howToResume, resumeText } from './view/how-to-resume.ts';
import { section, UNKNOWN_WIDTH } from './view/layout.ts';
import type { CommandContext, Output } from './view/output.ts';
import { runReply } from './view/replies.ts';
import { NO_SESSION, showChange, warnAboutReading } from './view/report-run.ts';
import { phaseList, planLine, readingLine } from './view/status-text.ts';

const TOOL = 'workflow_start';
const DEFAULT_TEMPLATE = 'default';

export const start = command({
  usage: 'start [name]',
  about: 'start a run of a workflow, with phase 1 in progress',
  examples: [
    'holdfast start "User Auth" --type implementation --phases "Design,Build,Review" --read docs/spec.md',
    'holdfast start --template feature "log in with a magic link"',
    'holdfast start --from-plan docs/plan.md',
  ],
  agent: 'may',
  options: {
    template: textOption(
      'the template that drives the run, by name or file; [name] is then a summary of the run',
      'template',
    ),
    fromPlan: {
      ...textOption(
        'a Markdown plan with headings and check boxes: its phases become those of the run',
        'file',
      ),
      conflicts: 'template',
    },
    type: parsedOption('planning, qa-loop, implementation or custom', 'type', typeFrom),
    phases: parsedOption('the names of the phases, separated by commas', 'names', namesFrom),
    read: listOption('a file that must be read (repeatable)', 'path'),
    remind: listOption('a rule that must survive compaction (repeatable)'),
    set: pairsOption('a fact about this run, or an input of its template (repeatable)'),
    setLocal: pairsOption('a fact that `sync` never sends (repeatable)'),
    artifact: pairsOption('a named file of this run (repeatable)', 'key=path'),
    switch: flag('release the run that this session holds'),
  },
  run: async (context, input) => {
    const { state, update: plan } = await runFrom(context, input);
    return { ...startRun(context, state, { switches: input.switch, plan }), plan };
  },
  show: (cli, started, input) => {
    const { run, isNew, action, artifacts, unheld, plan } = started;
    const reading = readingList(run.state, projectFiles(cli.root, cli.launchFolder));
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
    if (isNew) {
      warnAboutReading(cli, shown.data.reading);
      if (input.fromPlan !== undefined && plan === null) cli.output.warn(NOT_FOLLOWED);
    } else if (input.name !== undefined || hasDetails(input)) {
      cli.output.warn(OPTIONS_IGNORED);
    }
    return shown;
  },
  tool: tool({
    name: TOOL,
    about:
      'Starts a workflow in this session and returns its first step. Give `template` to follow its steps (without ' +
      '`template` and `name`: "default": plan, build, verify), or only `name` for a run without steps. If this ' +
      'session already runs that template, that run is returned.',
    takes: {
      template: textOption(
        'Name of a template (`holdfast templates` lists them) or path to its file',
      ),
      name: textOption('Name of a run without steps; not together with template'),
      summary: textOption('What this run is about, in one line'),
    },
    reply: async (context, input) => {
      const started = startRun(context, await stateForAgent(context, input), { switches: false });
      const { run, isNew, action, artifacts } = started;
      const lead = isNew
        ? `${existingText(started)}Started ${run.runId}.`
        : `This session already runs it: ${run.runId}. Nothing was started.`;
      return {
        ...existingRuns(started),
        ...runReply(context, { run, action }, lead),
        ...(artifacts === null || artifacts.text === '' ? {} : { artifacts: artifacts.text }),
      };
    },
  }),
});

interface StartInput extends Details {
  /** With a template, the summary of the run. */
  name?: string | undefined;
  template: string | undefined;
  fromPlan: string | undefined;
  type: string | undefined;
  phases: string[] | undefined;
}

function typeFrom(given: string, bad: Bad): string {
  if (WORKFLOW_TYPES.some((type) => type === given)) return given;
  throw bad(`one of ${WORKFLOW_TYPES.join(', ')}`);
}

async function runFrom(context: OperationContext, input: StartInput): Promise<PlanRun> {
  if (input.fromPlan !== undefined) return planRun(context, input.fromPlan, input);
  // Reading templates needs a YAML parser, which takes time to load.
  const { newRun, newTemplateRun } = await import('../operations/new-run.ts');
  const details = parseDetails(context, input);
  const type = input.type === undefined ? {} : { workflow_type: input.type };
  if (input.template === undefined) {
    const { name, phases } = input;
    if (name === undefined)
      throw new UsageError(
        '<name> is missing: give a name, --template <name> or --from-plan <file>',
      );
    const state = { ...newRun(context, workflowName(name), phases), ...type };
    return { state: withDetails(details, state), update: null };
  }
  refusePhases(input, 'the steps of the template are the phases');
  const values = Object.fromEntries(details.set);
  const run = newTemplateRun(context, input.template, input.name, values);
  // What the template declares as inputs is not a fact of the run as well.
  const facts = { ...run.context, ...Object.fromEntries(details.setLocal) };
  return { state: { ...withDetails(details, run), context: facts, ...type }, update: null };
}

/** The options add to what the plan declares. */
function planRun(context: OperationContext, path: string, input: StartInput): PlanRun {
  refusePhases(input, 'the plan of --from-plan says what the phases are');
  const { state, update } = newPlanRun(context, path);
  const details = withDetails(parseDetails(context, input), state);
  const { name, type } = input;
  return {
    state: {
      ...details,
      ...(name === undefined ? {} : { workflow: workflowName(name) }),
      ...(type === undefined ? {} : { workflow_type: type }),
      required_reading: [...new Set([...state.required_reading, ...details.required_reading])],
      context: { ...state.context, ...details.context },
      key_reminders: [
        ...new Set([...(state.key_reminders ?? []), ...(details.key_reminders ?? [])]),
      ],
    },
    update,
  };
}

function workflowName(given: string): string {
  const name = parseWorkflowName(given);
  if (name === null) throw badValue('<name>', given.slice(0, MAX_NAME), NAME);
  return name;
}

function refusePhases({ phases }: StartInput, why: string): void {
  if (phases !== undefined) throw badValue('--phases', phases.join(','), `nothing, as ${why}`);
}

function withDetails(
  { read, remind, set, setLocal, artifact }: ReturnType<typeof parseDetails>,
  state: RunState,
): RunState {
  return {
    ...withLocalFacts(state, { set, setLocal }),
    required_reading: [...new Set(read)],
    context: Object.fromEntries([...set, ...setLocal]),
    key_reminders: [...new Set(remind)],
    ...(artifact.length === 0 ? {} : { artifacts: Object.fromEntries(artifact) }),
    adopted: true,
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
      ? [`${NO_SESSION} To work on it: ${howToResume(cli, run.runId)}.`]
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

const NOT_FOLLOWED =
  'the run does not follow this plan when it changes; start from a copy in the project if it should';

const OPTIONS_IGNORED =
  'the other arguments were ignored; `holdfast update` changes the run, --switch starts another';

function hasDetails({ type, read, remind, set, setLocal, artifact }: StartInput): boolean {
  return (
    type !== undefined || [read, remind, set, setLocal, artifact].some((list) => list.length > 0)
  );
}

async function stateForAgent(
  context: OperationContext,
  { template, name, summary }: Record<'template' | 'name' | 'summary', string | undefined>,
): Promise<RunState> {
  if (template !== undefined && name !== undefined)
    throw badArgument(TOOL, 'name', 'left out if template is given; describe the run in summary');
  const { newRun, newTemplateRun } = await import('../operations/new-run.ts');
  if (name === undefined) return newTemplateRun(context, template ?? DEFAULT_TEMPLATE, summary);
  const workflow = parseWorkflowName(name);
  if (workflow === null) throw badArgument(TOOL, 'name', NAME);
  const state = newRun(context, workflow);
  return summary === undefined ? state : { ...state, context: { summary } };
}

function existingText({ unheld }: StartedRun): string {
  const ids = unheld.map(({ runId }) => `\`holdfast resume ${runId}\``);
  return ids.length === 0
    ? ''
    : `This template already has a run that nobody holds; to continue it instead: ${ids.join(' or ')}. `;
}

/** Also in the reply that only asks for a context action. */
function existingRuns({ unheld, run, isNew }: StartedRun): object {
  const existing = isNew ? unheld : [run];
  if (existing.length === 0) return {};
  return {
    existing: existing.map(({ runId, state }) => ({
      run: runId,
      workflow: state.workflow,
      phase: phaseLabel(state.phase),
      continue: isNew ? `holdfast resume ${runId}` : 'workflow_status',
    })),
  };
}
