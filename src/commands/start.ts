import { basename } from 'node:path';
import { readingOf } from '../guidance/reading/required-reading.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { openItemsOf, openItemsText } from '../sources/open-items.ts';
import { isCounted, phaseLabel, phaseWords } from '../state/phase-words.ts';
import { NEXT_ITEM } from '../state/plan-of-run.ts';
import { type Run, WORKFLOW_TYPES } from '../state/types.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { asWord } from '../text/sanitize.ts';
import { proposedWord } from '../text/shell-commands.ts';
import { badArgument, command, tool, type Shown } from './command.ts';
import { ask, canAsk } from './confirm.ts';
import type { StartDocument } from './json/documents.ts';
import type { ExistingRun, ReplyDetails } from './json/tool-results.ts';
import {
  DETAILS,
  choiceOption,
  flag,
  namesFrom,
  parsedOption,
  readingEntry,
  textOption,
  textsOption,
} from './options.ts';
import type { NewRun } from './start/new-run.ts';
import {
  type StartedRun,
  parseWorkflowName,
  startRun,
} from './start/start-run.ts';
import { section, type CommandContext } from './view/output.ts';
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
  from: {
    ...textOption(
      'a file with a plan, such as PLAN.md or TODO.md: its phases and items become those of the run; without a file the plan that was accepted last in plan mode',
      'file',
    ),
    isValueOptional: true as const,
    conflicts: 'template',
    parse: (input: unknown): NewRun['from'] =>
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
    'holdfast start --from docs/plan.md',
  ],
  options,
  run: async (cli, input): Promise<Shown<StartDocument>> => {
    const { state, plan } = await newStateOrAsk(cli, input);
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
        input.from === undefined
          ? ''
          : section(colors.bold('Plan'), planLines(cli, run)),
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
function planLines(cli: CommandContext, run: Run): string[] {
  const { state } = run;
  const next = state.context?.[NEXT_ITEM];
  const { inline, lines } = phaseList(draftRun(state), cli.output, 2);
  const shown = [planLine(state), ...(inline === '' ? lines : [inline])];
  if (typeof next === 'string')
    shown.push(`next item: ${asWord(next, MAX_ITEM_CHARS)}`);
  const open = openItemsOf(cli, run);
  if (open !== null) shown.push(openItemsText(open));
  shown.push(correctionLine(run));
  return shown;
}

/** How the user corrects what was understood. */
function correctionLine({ runId, state }: Run): string {
  const { phase, phases = [] } = state;
  const id = proposedWord(runId, '<run>');
  if (phases.length === 0 && !isCounted(phase))
    return `no phases were found; to name them: holdfast update ${id} --phases "<A,B,C>"`;
  return `if the work is in another phase: holdfast update ${id} --phase <n>`;
}

/** Where a person at a terminal named a file in which nothing was understood, they are asked for its phases. */
async function newStateOrAsk(
  cli: CommandContext,
  input: NewRun,
): ReturnType<typeof newState> {
  try {
    return await newState(cli, input);
  } catch (error) {
    const { from, name } = input;
    const isUnclear =
      error instanceof HoldfastError && error.code === 'plan_without_phases';
    const isPerson = cli.session === null && canAsk();
    if (!isUnclear || !isPerson || typeof from !== 'string') throw error;
    const file = asWord(from);
    const answer = await ask(
      `No phases were found in ${file}. Name them, separated by commas, or press Enter to start nothing: `,
    );
    const phases = answer
      .split(',')
      .map((phase) => phase.trim())
      .filter((phase) => phase !== '');
    if (phases.length === 0) throw error;
    const read = [...input.read, readingEntry(cli, from)];
    const workflow = name ?? basename(from).replace(/\.\w{1,10}$/, '');
    return newState(cli, {
      ...input,
      from: undefined,
      name: workflow,
      phases,
      read,
    });
  }
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
