import { describe } from '../../errors/describe.ts';
import { HoldfastError, type Failure } from '../../errors/holdfast-error.ts';
import { errorLine } from '../../errors/messages.ts';
import {
  drivingRefusals,
  hooksOff,
  prepareSetup,
  requireDrivable,
  requireNotDriven,
  requireOpenTemplateRun,
  untrustedGate,
} from '../../driver/prepare.ts';
import { planRun } from '../../driver/plan.ts';
import { createWorktree, removeIfClean } from '../../driver/worktree.ts';
import { currentRun, runToDrive } from '../../operations/drive.ts';
import { newTemplateRun } from '../../operations/new-run.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { startRun } from '../../operations/start.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { parseRun } from '../../workflow/run.ts';
import type { CommandContext } from '../context.ts';
import { contextFactory, installationHere } from '../driving/contexts.ts';
import { driveHere } from '../driving/drive-here.ts';
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
  if (options.template === undefined) {
    const open = contextFactory(cli, cli.root);
    const run = existingRun(open(null), given, options);
    if (options.dryRun === true) {
      requireOpenTemplateRun(open(null), run);
      return printPlan(cli, run.state, run.runId, drivingRefusals(open(null), run));
    }
    requireDrivable(open(null), run);
    const setup = prepareSetup(open(null), installationHere());
    return driveHere(cli, { run, open, options, wanted, setup, folder: null });
  }
  const here = contextFactory(cli, cli.root)(null);
  const state = newState(cli, here, options.template, given, options);
  const untrusted = untrustedGate(here, options.template, state);
  if (options.dryRun === true)
    return printPlan(cli, state, null, untrusted === null ? [] : [untrusted]);
  if (untrusted !== null) throw new HoldfastError(untrusted);
  const setup = prepareSetup(here, installationHere());
  if (options.worktree === undefined) {
    const open = contextFactory(cli, cli.root);
    const run = start(cli, open(null), state, options);
    return driveHere(cli, { run, open, options, wanted, setup, folder: null });
  }
  const name = options.worktree === true ? state.workflow : options.worktree;
  const worktree = createWorktree(cli.root, name, here.now);
  cli.output.warn(`working in ${worktree.root}, on the branch ${worktree.branch}`);
  const open = contextFactory(cli, worktree.root);
  const run = start(cli, open(null), state, options);
  // Which installed hooks apply depends on the folder; it is trusted like the one that it was made from.
  const inWorktree = prepareSetup(open(null), installationHere(), cli.root);
  try {
    await driveHere(cli, { run, open, options, wanted, setup: inWorktree, folder: worktree.root });
  } finally {
    cli.output.warn(
      currentRun(open(null), run.runId)?.state.status === 'completed' && removeIfClean(worktree)
        ? `removed ${worktree.top}: nothing was changed in it`
        : `kept ${worktree.top}, on the branch ${worktree.branch}`,
    );
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
  const off = hooksOff(cli);
  const refusals = [...(off === null ? [] : [off]), ...failures].map((failure) => ({
    code: failure.code,
    ...describe(failure),
  }));
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

function existingRun(
  context: OperationContext,
  given: string | undefined,
  options: RunOptions,
): StoredRun {
  const run = runToDrive(context, given, { isDryRun: options.dryRun === true });
  if (options.worktree !== undefined)
    throw new HoldfastError({ code: 'worktree_needs_template', run: run.runId });
  return run;
}
