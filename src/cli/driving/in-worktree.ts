import { errorLine } from '../../errors/messages.ts';
import { describe } from '../../errors/describe.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { prepareSetup } from '../../driver/prepare.ts';
import { isReturning, moveToWorktree, returnFromWorktree } from '../../driver/worktree/move-run.ts';
import { bringRecords } from '../../driver/worktree/records.ts';
import { describeStaysBehind, missingFiles } from '../../driver/worktree/stays-behind.ts';
import {
  createWorktree,
  findWorktree,
  isUnchanged,
  planWorktree,
  removeWorktree,
  uncommittedPaths,
  type Worktree,
} from '../../driver/worktree/worktree.ts';
import { currentRun } from '../../operations/drive.ts';
import type { OperationContext } from '../../operations/open-project.ts';
import { movedFrom } from '../../state/moved.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import type { CommandContext } from '../context.ts';
import type { RunOptions } from '../run-options.ts';
import { contextFactory, folderOpener, installationHere } from './contexts.ts';
import { driveHere, type DriveRequest } from './drive-here.ts';

/** Starts a run in a new worktree and drives it. The worktree stays, unless the run is complete and nothing was changed. */
export async function driveNewInWorktree(
  cli: CommandContext,
  {
    worktree,
    begin,
    state,
    ...request
  }: Pick<DriveRequest, 'options' | 'wanted'> & {
    worktree: Worktree;
    state: RunState;
    begin: (context: OperationContext) => StoredRun;
  },
): Promise<void> {
  const { root, top } = worktree;
  createWorktree(worktree);
  const open = contextFactory(cli, root);
  const { setup, run } = removedIfRefused(worktree, () => ({
    // Which installed hooks apply depends on the folder; it is trusted like the one that it was made from.
    setup: prepareSetup(open(null), installationHere(), cli.root),
    run: begin(open(null)),
  }));
  announce(cli, worktree, state);
  try {
    await driveHere(cli, { ...request, run, open, setup, root, continueIn: () => root });
  } finally {
    const isDone = currentRun(open(null), run.runId)?.state.status === 'completed';
    const canRemove = isDone && isUnchanged(worktree) && open(null).store.list().runs.length === 0;
    if (canRemove) bringRecords(worktree);
    cli.output.warn(
      canRemove && removeWorktree(worktree)
        ? `removed ${top}: nothing was changed in it`
        : keptText(worktree),
    );
  }
}

function removedIfRefused<T>(worktree: Worktree, work: () => T): T {
  try {
    return work();
  } catch (error) {
    removeWorktree(worktree);
    throw error;
  }
}

/** Moves a run to a new worktree and drives it there. */
export async function driveMoved(
  cli: CommandContext,
  { worktree, run, ...request }: Omit<DriveRequest, 'continueIn'> & { worktree: Worktree },
): Promise<void> {
  const { root } = worktree;
  const open = contextFactory(cli, root);
  const moved = moveToWorktree(run.runId, worktree, folderOpener(cli), () =>
    prepareSetup(open(null), installationHere(), cli.root),
  );
  announce(cli, worktree, moved.run.state);
  await driveAndReturn(cli, { ...request, ...moved, open, root }, worktree);
}

/** Drives a run in its folder. One that was moved there comes back as soon as it can. */
export async function driveWhereItIs(
  cli: CommandContext,
  request: Omit<DriveRequest, 'continueIn'>,
): Promise<void> {
  const from = movedFrom(request.run.state);
  const worktree = from === null ? null : findWorktree(from.path, request.root, from.base);
  await (worktree === null
    ? driveHere(cli, { ...request, continueIn: () => null })
    : driveAndReturn(cli, request, worktree));
}

async function driveAndReturn(
  cli: CommandContext,
  request: Omit<DriveRequest, 'continueIn'>,
  worktree: Worktree,
): Promise<void> {
  const { runId } = request.run;
  const { origin, root } = worktree;
  const openFolder = folderOpener(cli);
  // The folder of the call is not taken away from the caller.
  const mayRemove = cli.root !== root;
  const continueIn = (): string | null => {
    const folder = isReturning(runId, worktree, openFolder, { mayRemove }) ? origin : root;
    return folder === cli.root ? null : folder;
  };
  let isOurs = true;
  try {
    await driveHere(cli, { ...request, continueIn });
  } catch (error) {
    isOurs = !(error instanceof HoldfastError) || !OF_OTHERS.has(error.code);
    throw error;
  } finally {
    if (isOurs) comeBack(cli, runId, worktree, { mayRemove });
  }
}

/** Another process drives the run. */
const OF_OTHERS: ReadonlySet<string> = new Set(['second_driver', 'driver_lost']);

function comeBack(
  cli: CommandContext,
  runId: string,
  worktree: Worktree,
  { mayRemove }: { mayRemove: boolean },
): void {
  const { origin, top } = worktree;
  try {
    const { isRemoved, run } = returnFromWorktree(runId, worktree, folderOpener(cli), {
      mayRemove,
    });
    const place = run === 'back' ? `${runId} is back in ${origin}` : `${runId} is there`;
    cli.output.warn(
      isRemoved
        ? `removed ${top}: nothing was changed in it; ${place}`
        : `${keptText(worktree)}; ${place}`,
    );
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    cli.output.warn(
      `${keptText(worktree)}; ${runId} is there: ${errorLine(describe(error.failure))}`,
    );
  }
}

function keptText({ top, branch }: Worktree): string {
  return `kept ${top}, on the branch ${branch}`;
}

/** Says where the run works, and what it does not find there. */
function announce(cli: CommandContext, worktree: Worktree, state: RunState): void {
  const { origin, root, branch } = worktree;
  cli.output.warn(`working in ${root}, on the branch ${branch}`);
  const uncommitted = uncommittedPaths(origin) ?? [];
  const missing = missingFiles(state, worktree);
  for (const line of describeStaysBehind({ uncommitted, missing }, worktree)) cli.output.warn(line);
}

export function plannedWorktree(
  cli: CommandContext,
  state: RunState,
  { worktree }: RunOptions,
): Worktree {
  const name = typeof worktree === 'string' ? worktree : state.workflow;
  return planWorktree(cli.root, name, cli.now);
}

export function goneError({ runId, state }: StoredRun, path: string): HoldfastError {
  return new HoldfastError({
    code: 'worktree_gone',
    run: runId,
    path,
    phase: phaseLabel(state.phase),
  });
}
