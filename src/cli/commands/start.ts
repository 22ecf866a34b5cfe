import { CommanderError } from 'commander';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { startRun, type StartedRun } from '../../operations/start.ts';
import { phaseLabel } from '../../state/phases.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { newPlanRun as createPlanRun, type PlanRun } from '../../operations/start-from-plan.ts';
import {
  newRun as createRun,
  newTemplateRun as createTemplateRun,
} from '../../operations/new-run.ts';
import { withLocalFacts } from '../../state/edits.ts';
import { projectFiles } from '../../reading/project-files.ts';
import { readingList } from '../../reading/reading-list.ts';
import type { RunState } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import {
  nonBlank,
  parseDetails,
  phaseNames,
  warnAboutReading,
  workflowName,
  workflowType,
  type DetailOptions,
} from '../options.ts';
import { section, UNKNOWN_WIDTH } from '../output/layout.ts';
import { NO_SESSION, reportChange } from '../output/report-run.ts';
import type { Output } from '../output/output.ts';
import { howToResume, resumeText } from '../output/how-to-resume.ts';
import { phaseList } from '../output/phase-list.ts';
import { planLine, readingLine } from '../output/status-text.ts';
import { NEXT_ITEM } from '../../state/next-item.ts';

export interface StartOptions extends DetailOptions {
  type?: string;
  phases?: string;
  template?: string;
  fromPlan?: string;
  switch?: boolean;
}

/** `given` is the name of the run; with a template it is the summary of the run. */
export function start(cli: CommandContext, given: string | undefined, options: StartOptions): void {
  const { state, plan } = runFrom(cli, given, options);
  const started = startRun(cli, state, { switches: options.switch === true, plan });
  const { run, isNew, action, artifacts, unheld } = started;
  const reading = readingList(run.state, projectFiles(cli.root, cli.launchFolder));
  const { colors } = cli.output;
  const report = reportChange(cli, run, {
    done: doneText(cli, started),
    isMove: true,
    action,
    details: [
      options.fromPlan === undefined
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
    warnAboutReading(cli, report.reading);
    if (options.fromPlan !== undefined && plan === null) cli.output.warn(NOT_FOLLOWED);
  } else if (given !== undefined || hasDetails(options)) {
    cli.output.warn(OPTIONS_IGNORED);
  }
}

interface Start {
  state: RunState;
  plan: PlanRun['update'];
}

function runFrom(cli: CommandContext, given: string | undefined, options: StartOptions): Start {
  const { template, fromPlan } = options;
  if (fromPlan !== undefined) {
    const { state, update } = planRun(cli, fromPlan, given, options);
    return { state, plan: update };
  }
  if (template !== undefined) {
    return { state: newTemplateRun(cli, template, given, options), plan: null };
  }
  return { state: newRun(cli, nameFrom(given), options), plan: null };
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

const NO_NAME = '<name> is missing: give a name, --template <name> or --from-plan <file>';

function nameFrom(given: string | undefined): string {
  if (given !== undefined) return workflowName(given);
  throw new CommanderError(2, 'commander.missingArgument', NO_NAME);
}

function hasDetails({ type, read, remind, set, setLocal, artifact }: StartOptions): boolean {
  return [type, read, remind, set, setLocal, artifact].some((value) => value !== undefined);
}

function newRun(cli: CommandContext, workflow: string, options: StartOptions): RunState {
  const phases = options.phases === undefined ? undefined : phaseNames(options.phases);
  const run = createRun(cli, workflow);
  const [name = ''] = phases ?? [];
  return withDetails(cli, options, {
    ...run,
    workflow_type: workflowType(options.type ?? run.workflow_type),
    ...(phases === undefined
      ? {}
      : { phase: { ...run.phase, total: phases.length, name }, phases }),
  });
}

function newTemplateRun(
  cli: CommandContext,
  nameOrPath: string,
  summary: string | undefined,
  options: StartOptions,
): RunState {
  refusePhases(options, 'nothing_with_template');
  const values = Object.fromEntries(parseDetails(cli, options).set);
  const run = createTemplateRun(cli, nameOrPath, summary, values);
  // What the template declares as inputs is not a fact of the run as well.
  const { context = {} } = run;
  const details = withDetails(cli, options, run);
  const local = Object.entries(details.context ?? {}).filter(([key]) =>
    details.local_facts?.includes(key),
  );
  return {
    ...details,
    context: Object.fromEntries([...Object.entries(context), ...local]),
    ...(options.type === undefined ? {} : { workflow_type: workflowType(options.type) }),
  };
}

/** The options add to what the plan declares. */
function planRun(
  cli: CommandContext,
  path: string,
  name: string | undefined,
  options: StartOptions,
): PlanRun {
  refusePhases(options, 'nothing_with_plan');
  const { state, update } = createPlanRun(cli, nonBlank('--from-plan', path));
  const details = withDetails(cli, options, state);
  return {
    state: {
      ...details,
      ...(name === undefined ? {} : { workflow: workflowName(name) }),
      ...(options.type === undefined ? {} : { workflow_type: workflowType(options.type) }),
      required_reading: [...new Set([...state.required_reading, ...details.required_reading])],
      context: { ...state.context, ...details.context },
      key_reminders: [
        ...new Set([...(state.key_reminders ?? []), ...(details.key_reminders ?? [])]),
      ],
    },
    update,
  };
}

function refusePhases(
  { phases }: StartOptions,
  kind: 'nothing_with_template' | 'nothing_with_plan',
): void {
  if (phases === undefined) return;
  throw new HoldfastError({
    code: 'bad_value',
    option: '--phases',
    given: phases,
    expected: { kind },
  });
}

function withDetails(cli: CommandContext, options: StartOptions, state: RunState): RunState {
  const { read, remind, set, setLocal, artifact } = parseDetails(cli, options);
  return {
    ...withLocalFacts(state, { set, setLocal }),
    required_reading: [...new Set(read)],
    context: Object.fromEntries([...set, ...setLocal]),
    key_reminders: [...new Set(remind)],
    ...(artifact.length === 0 ? {} : { artifacts: Object.fromEntries(artifact) }),
    adopted: true,
  };
}
