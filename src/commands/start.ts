import { readingOf } from '../guidance/reading/required-reading.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { phaseLabel, phaseWords } from '../state/phase-words.ts';
import { NEXT_ITEM } from '../state/plan-of-run.ts';
import { type RunState, type Run, WORKFLOW_TYPES } from '../state/types.ts';
import { asWord } from '../text/sanitize.ts';
import { badArgument, command, tool, type Shown } from './command.ts';
import type { StartDocument } from './json/documents.ts';
import type { ExistingRun, ReplyDetails } from './json/tool-results.ts';
import {
  DETAILS,
  choiceOption,
  flag,
  namesFrom,
  parsedOption,
  textOption,
  textsOption,
} from './options.ts';
import type { NewRun } from './start/new-run.ts';
import {
  type StartedRun,
  parseWorkflowName,
  startRun,
} from './start/start-run.ts';
import { section, type CommandContext, type Output } from './view/output.ts';
import {
  NO_SESSION,
  resumeText,
  runReply,
  showChange,
  withData,
  warnAboutReading,
} from './view/report-run.ts';
import { phaseList, planLine, readingLine } from './view/status-text.ts';
import { draftRun } from '../state/run.ts';

const TOOL = 'workflow_start';
const DEFAULT_TEMPLATE = 'default';
const NO_DETAILS = {
  read: [],
  remind: [],
  set: [],
  setLocal: [],
  artifact: [],
};

const options = {
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
    parse: (input: unknown): NewRun['fromPlan'] =>
      typeof input === 'string' || input === true ? input : undefined,
  },
  type: choiceOption('the kind of work', 'type', WORKFLOW_TYPES),
  phases: parsedOption(
    'the names of the phases, separated by commas',
    'names',
    namesFrom,
  ),
  ...DETAILS,
  switch: flag('release the run that this session holds'),
};

export const start = command({
  usage: 'start [name]',
  about: 'start a run of a workflow, with phase 1 in progress',
  examples: [
    'holdfast start "User Auth" --type implementation --phases "Design,Build,Review" --read docs/spec.md',
    'holdfast start --template feature "log in with a magic link"',
    'holdfast start --from-plan docs/plan.md',
  ],
  options,
  run: async (cli, input): Promise<Shown<StartDocument>> => {
    const { state, plan } = await newState(cli, input);
    const started = startRun(cli, state, { switches: input.switch, plan });
    const { run, isNew, action, artifacts, unheld } = started;
    const { colors } = cli.output;
    const reading = readingOf(cli, run).map((entry) =>
      readingLine(entry, colors),
    );
    const shown = showChange(cli, run, {
      done: doneText(cli, started),
      isMove: true,
      action,
      details: [
        input.fromPlan === undefined
          ? ''
          : section(colors.bold('Plan'), planLines(cli.output, run.state)),
        section(colors.bold('Required reading'), reading),
        artifacts?.text ?? '',
      ],
    });
    if (isNew) warnAboutReading(cli, shown.data.reading);
    else
      cli.output.warn(
        'nothing was started or changed; `holdfast update` changes the run, --switch starts another',
      );
    const existing = unheld.map(({ runId }) => runId);
    return artifacts === null
      ? withData(shown, { existing })
      : withData(shown, { artifacts: artifacts.due, existing });
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
      new: flag('Even if one is free'),
    },
    reply: async (
      context,
      { template, name, phases, summary, new: isWanted },
    ) => {
      const requirement =
        'left out if template is given; describe the run in summary';
      if (template !== undefined && name !== undefined)
        throw badArgument(TOOL, 'name', requirement);
      if (name === undefined && phases.length > 0)
        throw badArgument(
          TOOL,
          'phases',
          'left out without name: a template has its own steps',
        );
      if (name !== undefined)
        parseWorkflowName(name, (expected) =>
          badArgument(TOOL, 'name', expected),
        );
      const { state } = await newState(context, {
        ...NO_DETAILS,
        ...(name === undefined
          ? { name: summary, template: template ?? DEFAULT_TEMPLATE }
          : { name }),
        ...(phases.length > 0 && { phases }),
      });
      const about =
        name === undefined || summary === undefined
          ? {}
          : { context: { summary } };
      const initial = { ...state, ...about };
      const started = startRun(context, initial, {
        switches: false,
        prefersFree: !isWanted,
      });
      const { run, action, artifacts } = started;
      return {
        ...existingRuns(context, started),
        ...runReply(
          context,
          { run, action, artifacts },
          replyLead(context, started),
        ),
      };
    },
  }),
});

/** Reading templates needs a YAML parser, which takes time to load. */
async function newState(context: OperationContext, input: NewRun) {
  return (await import('./start/new-run.ts')).newState(context, input);
}

/** What the tool did, for the model. */
function replyLead(
  context: OperationContext,
  { run, isNew, unheld }: StartedRun,
): string {
  const { runId } = run;
  if (isNew) return `Started ${runId}.`;
  if (unheld.length === 0)
    return `This session already runs it: ${runId}. Nothing was started.`;
  return `This template already has a run that nobody works on: ${runId}; \`${continuation(context, runId)}\` continues it, \`new\` starts another. Nothing was started.`;
}

/** What exists already comes first: the user may want to continue it instead. */
function doneText(
  cli: CommandContext,
  { run, isNew, unheld }: StartedRun,
): string {
  if (!isNew) return `This session already runs it: ${run.runId}.`;
  const existing = unheld.map(
    ({ runId, state }) =>
      `A run of this template that nobody holds is in phase ${phaseWords(state.phase)}: ${runId}. ${resumeText(cli, runId)} continues it.`,
  );
  const how = `${NO_SESSION} To work on it: ${resumeText(cli, run.runId)}.`;
  return [
    ...existing,
    `Started ${run.runId}.`,
    ...(cli.session === null ? [how] : []),
  ].join('\n');
}

const MAX_ITEM_CHARS = 200;

/** What was understood of the plan, so that the user sees at once if it is not what they meant. */
function planLines(output: Output, state: RunState): string[] {
  const next = state.context?.[NEXT_ITEM];
  const { inline, lines } = phaseList(draftRun(state), output, 2);
  return [
    planLine(state),
    ...(inline === '' ? lines : [inline]),
    ...(typeof next === 'string'
      ? [`next item: ${asWord(next, MAX_ITEM_CHARS)}`]
      : []),
  ];
}

/** Without a session, nobody can take a run: each call names it. */
function continuation({ session }: OperationContext, run: string): string {
  return session === null
    ? `workflow_status {"run":"${run}"}`
    : `holdfast resume ${run}`;
}

/** Also in the reply that only asks for a context action. */
function existingRuns(
  context: OperationContext,
  { unheld, run, isNew }: StartedRun,
): Pick<ReplyDetails, 'existing'> {
  if (unheld.length > 0)
    return {
      existing: unheld.map((each) => ({
        ...existingRun(each),
        continue: continuation(context, each.runId),
      })),
    };
  // It is the session's own run.
  if (isNew) return {};
  return { existing: [{ ...existingRun(run), continue: 'workflow_status' }] };
}

function existingRun({ runId, state }: Run): Omit<ExistingRun, 'continue'> {
  const { workflow, phase } = state;
  return { run: runId, workflow, phase: phaseLabel(phase) };
}
