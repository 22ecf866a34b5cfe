import { dirname, join } from 'node:path';
import { Store } from '../../src/state/store/store.ts';
import type { RunState, Run } from '../../src/state/types.ts';
import type { Project } from './project.ts';
import { aState, NOW } from './runs.ts';

export const STATE = 'untracked/workflow-state';
export const ARCHIVE = 'untracked/workflow-archive';
export const LOCK = `${STATE}/.lock`;

/** The user's folder, beside the project. */
export const configOf = ({ root }: Project): string =>
  join(dirname(root), 'home/.claude');

export function storeOf(project: Project, now: () => Date = () => NOW): Store {
  return new Store({
    root: project.root,
    config: configOf(project),
    now,
    waitMs: 3_000,
  });
}

export function createRun(store: Store, fields: Partial<RunState> = {}): Run {
  return store.transaction((tx) =>
    tx.create(aState(fields), { event: 'started' }),
  );
}

/** Edits the current state of the run. */
export function change(
  store: Store,
  runId: string,
  edit: (state: RunState) => RunState,
): Run {
  return store.transaction((tx) => {
    const run = tx.runs.find((candidate) => candidate.runId === runId);
    if (run === undefined) throw new Error(`there is no run ${runId}`);
    return tx.write(run, edit(run.state), { event: 'updated' });
  });
}
