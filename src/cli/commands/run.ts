import { HoldfastError } from '../../errors/holdfast-error.ts';
import type { DriveOptions } from '../../driver/drive-context.ts';
import {
  prepareSetup,
  requireDrivable,
  requireNotDriven,
  untrustedGate,
} from '../../driver/prepare.ts';
import { settleMove } from '../../driver/worktree/move-run.ts';
import type { RunLocation } from '../../driver/worktree/locate-run.ts';
import { currentRun, runToDrive } from '../../operations/drive.ts';
import { newTemplateRun } from '../../operations/new-run.ts';
import { findNamedRun } from '../../operations/named-run.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { startRun } from '../../operations/start.ts';
import { movedFrom, movedTo } from '../../state/moved.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import { contextFactory, folderOpener, installationHere } from '../driving/contexts.ts';
import { driveHere } from '../driving/drive-here.ts';
import {
  driveMoved,
  driveNewInWorktree,
  driveWhereItIs,
  goneError,
  plannedWorktree,
} from '../driving/in-worktree.ts';
import { printPlan, printPlanOf, worktreeRefusals } from '../driving/print-plan.ts';
import { parseDetails } from '../options.ts';
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
    const begin = (context: OperationContext): StoredRun => start(cli, context, state);
    return driveNewInWorktree(cli, { worktree, begin, state, options, wanted });
  }
  const run = start(cli, here, state);
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
