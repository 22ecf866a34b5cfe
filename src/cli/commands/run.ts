import { describe } from '../../errors/describe.ts';
import { HoldfastError, type Failure } from '../../errors/holdfast-error.ts';
import { errorLine } from '../../errors/messages.ts';
import type { DriveOptions } from '../../driver/drive-context.ts';
import { planRun } from '../../driver/plan.ts';
import {
  drivingRefusals,
  prepareSetup,
  requireClient,
  requireDrivable,
  requireNotDriven,
  requireOpenTemplateRun,
  untrustedGate,
} from '../../driver/prepare.ts';
import { memoryIn } from '../../driver/record/driver-memory.ts';
import { runToDrive } from '../../operations/drive.ts';
import { readDriverFile } from '../../operations/driver-record.ts';
import { newTemplateRun } from '../../operations/new-run.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { startRun } from '../../operations/start.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { parseRun } from '../../workflow/run.ts';
import type { CommandContext } from '../context.ts';
import { contextFactory, installationHere } from '../driving/contexts.ts';
import { driveHere } from '../driving/drive-here.ts';
import { parseDetails } from '../options.ts';
import { planText } from '../output/run-plan.ts';
import { driveOptions, type RunOptions } from '../run-options.ts';

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
function requireNoInputs({ set = [] }: RunOptions): void {
  const [given] = set;
  if (given !== undefined)
    throw new HoldfastError({
      code: 'bad_value',
      option: '--set',
      given,
      expected: { kind: 'nothing_without_template' },
    });
}

async function driveExisting(
  cli: CommandContext,
  given: string | undefined,
  options: RunOptions,
  wanted: DriveOptions,
): Promise<void> {
  const open = contextFactory(cli);
  const here = open(null);
  const isDryRun = options.dryRun === true;
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
    const failure = error instanceof HoldfastError ? error.failure : null;
    if (failure?.code !== 'no_workflow') throw error;
    if (failure.also.length > 0 || (failure.unreadable ?? []).length > 0) throw error;
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
  const state = newState(cli, here, template, summary, options);
  const untrusted = untrustedGate(here, template, state);
  if (options.dryRun === true)
    return printPlan(cli, state, null, untrusted === null ? [] : [untrusted]);
  if (untrusted !== null) throw new HoldfastError(untrusted);
  const setup = prepareSetup(here, installationHere());
  const run = start(cli, here, state);
  return driveHere(cli, { run, open, options, wanted, setup });
}

/** The run is started only after everything else has been checked. */
function newState(
  cli: CommandContext,
  context: OperationContext,
  template: string,
  summary: string | undefined,
  options: RunOptions,
): RunState {
  const details = parseDetails(cli, options.set === undefined ? {} : { set: options.set });
  const quiet = { ...context, warn: () => undefined };
  return newTemplateRun(quiet, template, summary, Object.fromEntries(details.set));
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
    code: failure.code,
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
