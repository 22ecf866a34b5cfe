import type { DriveOptions } from '../../headless/drive-context.ts';
import { planRun, type PlannedStep } from '../../headless/plan.ts';
import {
  drivingRefusals,
  prepareSetup,
  requireClient,
  requireDrivable,
  requireNotDriven,
  requireOpenTemplateRun,
  untrustedGate,
} from '../../headless/prepare.ts';
import { memoryIn } from '../../headless/record/driver-memory.ts';
import { badValue } from '../../errors/bad-input.ts';
import { describe } from '../../errors/describe.ts';
import { codeOf, HoldfastError, type Failure } from '../../errors/holdfast-error.ts';
import { errorLine } from '../../errors/messages.ts';
import { runToDrive } from '../../operations/drive.ts';
import { readDriverFile } from '../../operations/driver-record.ts';
import { newTemplateRun } from '../../operations/new-run.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { startRun } from '../../operations/start.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { parseRun } from '../../workflow/run.ts';
import { factsFrom } from '../options.ts';
import type { CommandContext } from '../view/output.ts';
import { contextFactory, installationHere } from './contexts.ts';
import { driveHere } from './drive-here.ts';
import { driveOptions, type RunOptions } from './run-options.ts';

/** Drives a run until it is complete or something stops it; with a template, a new one. */
export async function driveRun(
  cli: CommandContext,
  given: string | undefined,
  options: RunOptions,
): Promise<void> {
  requireNotDriven(cli);
  const wanted = driveOptions(options);
  if (options.template !== undefined)
    return driveNew(cli, options.template, given, options, wanted);
  requireNoInputs(options);
  return driveExisting(cli, given, options, wanted);
}

/** A run that exists has its inputs already. */
function requireNoInputs({ set }: RunOptions): void {
  const [given] = set;
  if (given !== undefined)
    throw badValue(
      '--set',
      given.join('='),
      'nothing without --template, as a run that exists has its inputs; `holdfast update --set` changes a fact about it',
    );
}

async function driveExisting(
  cli: CommandContext,
  given: string | undefined,
  options: RunOptions,
  wanted: DriveOptions,
): Promise<void> {
  const open = contextFactory(cli);
  const here = open(null);
  const isDryRun = options.dryRun;
  const run = findRun(here, given, isDryRun);
  if (isDryRun) return printPlanOf(cli, here, run);
  requireDrivable(here, run);
  const setup = prepareSetup(here, installationHere());
  return driveHere(cli, { run, open, options, wanted, setup });
}

/** Where there is nothing, a run without steps would not help. */
function findRun(
  context: OperationContext,
  given: string | undefined,
  isDryRun: boolean,
): StoredRun {
  try {
    return runToDrive(context, given, { isDryRun });
  } catch (error) {
    const { runs, unreadable } = context.store.list();
    const isEmpty = runs.length === 0 && unreadable.length === 0;
    if (!isEmpty || !(error instanceof HoldfastError) || error.code !== 'no_workflow') throw error;
    throw new HoldfastError({ code: 'nothing_to_drive' });
  }
}

async function driveNew(
  cli: CommandContext,
  template: string,
  summary: string | undefined,
  options: RunOptions,
  wanted: DriveOptions,
): Promise<void> {
  const open = contextFactory(cli);
  const here = open(null);
  const state = newState(here, template, summary, options);
  const untrusted = untrustedGate(here, template, state);
  if (options.dryRun) return printPlan(cli, state, null, untrusted === null ? [] : [untrusted]);
  if (untrusted !== null) throw new HoldfastError(untrusted);
  const setup = prepareSetup(here, installationHere());
  const run = start(cli, here, state);
  return driveHere(cli, { run, open, options, wanted, setup });
}

/** The run is started only after everything else has been checked. */
function newState(
  context: OperationContext,
  template: string,
  summary: string | undefined,
  options: RunOptions,
): RunState {
  const quiet = { ...context, warn: () => undefined };
  return newTemplateRun(quiet, template, summary, Object.fromEntries(factsFrom(options.set)));
}

function start(cli: CommandContext, context: OperationContext, state: RunState): StoredRun {
  const { run, unheld } = startRun(context, state, { switches: false });
  for (const { runId } of unheld)
    cli.output.warn(
      `${runId} is a run of the same template that is not finished; \`holdfast run ${runId}\` continues it`,
    );
  return run;
}

/** The plan of a run that exists. Nothing is changed. */
function printPlanOf(cli: CommandContext, context: OperationContext, run: StoredRun): void {
  requireOpenTemplateRun(context, run);
  const { sessions } = memoryIn(readDriverFile(cli.root, run.runId));
  const refusals = drivingRefusals(context, run);
  printPlan(cli, run.state, run.runId, refusals, sessions.main !== null);
}

/** The plan, and why `run` would refuse it now. */
function printPlan(
  cli: CommandContext,
  state: RunState,
  runId: string | null,
  failures: readonly Failure[],
  hasConversation = false,
): void {
  const run = parseRun(state);
  if (run.kind !== 'template') throw new HoldfastError({ code: 'not_drivable', run: runId ?? '' });
  const steps = planRun(run, hasConversation);
  const refusals = [...clientRefusals(cli), ...failures].map((failure) => ({
    code: codeOf(failure),
    ...describe(failure),
  }));
  for (const refusal of refusals) cli.output.warn(`\`run\` would refuse: ${errorLine(refusal)}`);
  cli.output.result({ run: runId, template: run.template.name, steps, refusals }, planText(steps));
}

function clientRefusals(cli: CommandContext): Failure[] {
  try {
    requireClient(cli, installationHere());
    return [];
  } catch (error) {
    if (error instanceof HoldfastError) return [error.failure];
    throw error;
  }
}

const MARKS: Record<PlannedStep['state'], string> = {
  done: '✓',
  current: '▸',
  open: '·',
  skipped: '↷',
  passed: '–',
};

const SESSIONS: Record<PlannedStep['session'], string> = {
  same: 'the conversation goes on',
  fresh: 'a fresh conversation',
  compacted: 'the conversation is compacted first',
  own: 'a conversation of its own',
  none: 'stops and waits for you',
};

/** What a driver would do, one line for each step. */
function planText(steps: readonly PlannedStep[]): string {
  return steps
    .flatMap((step) => (isLeftOut(step) ? leftOutText(step) : drivenTexts(step)))
    .join('\n');
}

function isLeftOut({ state }: PlannedStep): boolean {
  return state === 'skipped' || state === 'passed';
}

function leftOutText({ id, state, when }: PlannedStep): string {
  const why =
    state === 'skipped' ? 'skipped' : `passed by, because ${sanitizeLine(when ?? '')} is false`;
  return `${MARKS[state]} ${sanitizeLine(id)}: ${why}`;
}

function drivenTexts(step: PlannedStep): string[] {
  return [
    `${MARKS[step.state]} ${sanitizeLine(step.id)}: ${[
      ...(step.type === 'loop' ? ['for each task'] : [withAgent(step)]),
      ...(step.repeats === null ? [] : [`up to ${step.repeats} times`]),
      ...(step.until === null ? [] : [`until \`${sanitizeLine(step.until)}\` exits 0`]),
      ...(step.gate === null ? [] : [`gate \`${sanitizeLine(step.gate)}\``]),
      ...(step.when === null ? [] : [`only when ${sanitizeLine(step.when)}`]),
    ].join(', ')}`,
    ...step.subSteps.map(
      (subStep) =>
        `    ${sanitizeLine(subStep.id)}: ${[
          withAgent(subStep),
          ...(subStep.gate === null ? [] : [`gate \`${sanitizeLine(subStep.gate)}\``]),
        ].join(', ')}`,
    ),
  ];
}

function withAgent({ session, agent }: Pick<PlannedStep, 'session' | 'agent'>): string {
  return `${SESSIONS[session]}${agent === null ? '' : ` as ${sanitizeLine(agent)}`}`;
}
