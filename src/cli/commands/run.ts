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
import { settleMove } from '../../driver/worktree/move-run.ts';
import { locateRun, type RunLocation } from '../../driver/worktree/locate-run.ts';
import { planWorktree, type Worktree } from '../../driver/worktree/worktree.ts';
import { currentRun, runToDrive } from '../../operations/drive.ts';
import { newTemplateRun } from '../../operations/new-run.ts';
import { findNamedRun } from '../../operations/named-run.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { startRun } from '../../operations/start.ts';
import { movedFrom, movedTo } from '../../state/moved.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { parseRun } from '../../workflow/run.ts';
import type { CommandContext } from '../context.ts';
import { contextFactory, folderOpener, installationHere } from '../driving/contexts.ts';
import { driveHere } from '../driving/drive-here.ts';
import { driveMoved, driveNewInWorktree, driveWhereItIs } from '../driving/in-worktree.ts';
import { parseDetails } from '../options.ts';
import { driveOptions, type RunOptions } from '../run-options.ts';
import { planText } from '../output/run-plan.ts';

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
  return driveExisting(cli, ...namedRun(cli, given, options), wanted);
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

/** In `run --worktree magic-links`, the parser takes the run for the name of the worktree. */
function namedRun(
  cli: CommandContext,
  given: string | undefined,
  options: RunOptions,
): [string | undefined, RunOptions] {
  const { worktree } = options;
  if (given !== undefined || typeof worktree !== 'string') return [given, options];
  const isRun = findNamedRun(cli, cli.store.list().runs, worktree).kind !== 'unknown';
  return isRun ? [worktree, { ...options, worktree: true }] : [given, options];
}

async function driveExisting(
  cli: CommandContext,
  given: string | undefined,
  options: RunOptions,
  wanted: DriveOptions,
): Promise<void> {
  const here = contextFactory(cli, cli.root)(null);
  const isDryRun = options.dryRun === true;
  const found = findRun(here, given, isDryRun);
  if (isDryRun) return printPlanOf(cli, found, options);
  const place = settle(cli, found);
  const isUndone = place.kind === 'not_sent';
  const { runId } = found;
  const root = place.kind === 'there' ? place.path : cli.root;
  const open = contextFactory(cli, root);
  const run = place.kind === 'there' ? place.run : (currentRun(open(null), runId) ?? found);
  requireDrivable(open(null), run);
  // A worktree is trusted like the checkout that it was made from.
  const setup = prepareSetup(open(null), installationHere(), cli.root);
  const request = { run, open, options, wanted, setup, root };
  if (isUndone || (options.worktree !== undefined && movedFrom(run.state) === null)) {
    const worktree = plannedWorktree(cli, run.state, options);
    return driveMoved(cli, { ...request, worktree });
  }
  return driveWhereItIs(cli, request);
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
    if (failure?.code !== 'no_workflow' || failure.also.length > 0) throw error;
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
  const open = contextFactory(cli, cli.root);
  const here = open(null);
  const state = newState(cli, here, template, summary, options);
  const untrusted = untrustedGate(here, template, state);
  if (options.dryRun === true)
    return printPlan(cli, state, null, [
      ...(untrusted === null ? [] : [untrusted]),
      ...worktreeRefusals(cli, state, options),
    ]);
  if (untrusted !== null) throw new HoldfastError(untrusted);
  const setup = prepareSetup(here, installationHere());
  if (options.worktree !== undefined) {
    const worktree = plannedWorktree(cli, state, options);
    const begin = (context: OperationContext): StoredRun => start(cli, context, state, options);
    return driveNewInWorktree(cli, { worktree, begin, state, options, wanted });
  }
  const run = start(cli, here, state, options);
  return driveHere(cli, {
    run,
    open,
    options,
    wanted,
    setup,
    root: cli.root,
    continueIn: () => null,
  });
}

/** Where the run is; throws if that is lost. */
function settle(cli: CommandContext, run: StoredRun): RunLocation {
  if (movedTo(run.state) === null) return { kind: 'here' };
  const place = settleMove(run, cli.root, folderOpener(cli));
  switch (place.kind) {
    case 'gone':
      throw goneError(run, place.path);
    case 'there':
      cli.output.warn(`${run.runId} is in the worktree ${place.path}`);
      return place;
    case 'not_sent':
      cli.output.warn(`${run.runId} did not get to ${place.path}: it is moved again`);
      return place;
    default:
      return place;
  }
}

function goneError({ runId, state }: StoredRun, path: string): HoldfastError {
  return new HoldfastError({
    code: 'worktree_gone',
    run: runId,
    path,
    phase: phaseLabel(state.phase),
  });
}

function plannedWorktree(cli: CommandContext, state: RunState, { worktree }: RunOptions): Worktree {
  const name = typeof worktree === 'string' ? worktree : state.workflow;
  return planWorktree(cli.root, name, cli.now);
}

/** The plan of a run wherever it is. Nothing is changed. */
function printPlanOf(cli: CommandContext, found: StoredRun, options: RunOptions): void {
  const place = locateRun(found, cli.root, folderOpener(cli));
  const isElsewhere = 'run' in place;
  if (place.kind === 'there') cli.output.warn(`${found.runId} is in the worktree ${place.path}`);
  const root = isElsewhere ? place.path : cli.root;
  const run = isElsewhere ? place.run : found;
  const context = contextFactory(cli, root)(null);
  requireOpenTemplateRun(context, run);
  const failures =
    place.kind === 'gone'
      ? [goneError(found, place.path).failure]
      : place.kind === 'here' || place.kind === 'there'
        ? drivingRefusals(context, run)
        : [];
  const isMoving = place.kind === 'here' && movedFrom(run.state) === null;
  printPlan(cli, run.state, run.runId, [
    ...failures,
    ...(isMoving ? worktreeRefusals(cli, run.state, options) : []),
  ]);
}

function worktreeRefusals(cli: CommandContext, state: RunState, options: RunOptions): Failure[] {
  return options.worktree === undefined
    ? []
    : refusalsOf(() => plannedWorktree(cli, state, options));
}

function refusalsOf(check: () => unknown): Failure[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof HoldfastError) return [error.failure];
    throw error;
  }
}

/** The plan, and why `run` would refuse it now. */
function printPlan(
  cli: CommandContext,
  state: RunState,
  runId: string | null,
  failures: readonly Failure[],
): void {
  const run = parseRun(state);
  if (run.kind !== 'template') throw new HoldfastError({ code: 'not_drivable', run: runId ?? '' });
  const steps = planRun(run.template, run.machine);
  const refusals = [...refusalsOf(() => requireClient(cli, installationHere())), ...failures].map(
    (failure) => ({
      code: failure.code,
      ...describe(failure),
    }),
  );
  for (const refusal of refusals) cli.output.warn(`\`run\` would refuse: ${errorLine(refusal)}`);
  cli.output.result({ run: runId, template: run.template.name, steps, refusals }, planText(steps));
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

function start(
  cli: CommandContext,
  context: OperationContext,
  state: RunState,
  options: RunOptions,
): StoredRun {
  const wanted = `run --template ${options.template ?? ''}`;
  const { run, unheld } = startRun(context, state, { switches: false, wanted });
  for (const { runId } of unheld)
    cli.output.warn(
      `${runId} is a run of the same template that is not finished; \`holdfast run ${runId}\` continues it`,
    );
  return run;
}
