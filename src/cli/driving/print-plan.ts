import { describe } from '../../errors/describe.ts';
import { HoldfastError, type Failure } from '../../errors/holdfast-error.ts';
import { errorLine } from '../../errors/messages.ts';
import { planRun } from '../../driver/plan.ts';
import { drivingRefusals, requireClient, requireOpenTemplateRun } from '../../driver/prepare.ts';
import { memoryIn } from '../../driver/record/driver-memory.ts';
import { locateRun } from '../../driver/worktree/locate-run.ts';
import { readDriverFile } from '../../operations/driver-record.ts';
import { movedFrom } from '../../state/moved.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { parseRun } from '../../workflow/run.ts';
import type { CommandContext } from '../context.ts';
import { planText } from '../output/run-plan.ts';
import type { RunOptions } from '../run-options.ts';
import { contextFactory, folderOpener, installationHere } from './contexts.ts';
import { goneError, plannedWorktree } from './in-worktree.ts';

/** The plan of a run wherever it is. Nothing is changed. */
export function printPlanOf(cli: CommandContext, found: StoredRun, options: RunOptions): void {
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
  const { sessions } = memoryIn(readDriverFile(root, run.runId));
  printPlan(
    cli,
    run.state,
    run.runId,
    [...failures, ...(isMoving ? worktreeRefusals(cli, run.state, options) : [])],
    sessions.main !== null,
  );
}

export function worktreeRefusals(
  cli: CommandContext,
  state: RunState,
  options: RunOptions,
): Failure[] {
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
export function printPlan(
  cli: CommandContext,
  state: RunState,
  runId: string | null,
  failures: readonly Failure[],
  hasConversation = false,
): void {
  const run = parseRun(state);
  if (run.kind !== 'template') throw new HoldfastError({ code: 'not_drivable', run: runId ?? '' });
  const steps = planRun(run, hasConversation);
  const refusals = [...refusalsOf(() => requireClient(cli, installationHere())), ...failures].map(
    (failure) => ({
      code: failure.code,
      ...describe(failure),
    }),
  );
  for (const refusal of refusals) cli.output.warn(`\`run\` would refuse: ${errorLine(refusal)}`);
  cli.output.result({ run: runId, template: run.template.name, steps, refusals }, planText(steps));
}
