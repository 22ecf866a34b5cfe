import type { SyncInput } from '../sync/types.ts';
import { readSyncInput } from '../sync/sync-input.ts';
import { describeFileFailure } from '../errors/describe-file-failure.ts';
import { openProject, type ProjectContext } from '../operations/open-project.ts';
import { launchFolderOf } from '../sessions/environment.ts';
import { holderOf } from '../sessions/holder.ts';
import { touchHolder } from '../sessions/heartbeat.ts';
import { isActive } from '../sessions/select-run.ts';
import { syncRuns } from '../sync/apply-sync.ts';
import type { StoredRun } from '../state/types.ts';
import { stringField, type HookInput } from './protocol.ts';

/** The host stops SessionEnd after 1.5 seconds. */
const LOCK_WAIT_MS = 1_000;

/** What every handler gets. */
export interface HookContext extends ProjectContext {
  input: HookInput;
  /** Where the client was launched. */
  launchFolder: string;
  /** Where the hook that is running is installed. */
  packageFolder: string;
  note: (problem: string) => void;
}

export function createHookContext(
  call: Pick<HookContext, 'input' | 'root' | 'packageFolder' | 'now' | 'note'>,
): HookContext {
  const { root, now, note, input } = call;
  const environment = process.env;
  const project = openProject({
    root,
    now,
    environment,
    lockWaitMs: LOCK_WAIT_MS,
    warn: note,
    // The session gets its guidance even if nothing can be recorded.
    onWriteRefused: ({ failure }) =>
      note(`nothing can be recorded: ${describeFileFailure(failure).message}`),
  });
  return { ...call, ...project, launchFolder: launchFolderOf(environment, input.cwd ?? root) };
}

/** Detects workflows and brings the state files up to date. */
export function detectAndSync(context: HookContext): Pick<SyncInput, 'runs' | 'sources'> {
  const { store, input: call, note } = context;
  const { runs: listed, unreadable } = store.list();
  const { input, problems } = readSyncInput(
    { ...context, session: call.session },
    { runs: listed, sourceRecords: store.sourceRecords() },
  );
  for (const { path, why } of problems) note(`${path} was not read: ${why}`);
  const runs = syncRuns(store, input, {
    by: `hook ${call.event}`,
    unreadable,
    onSetAside: ({ path, why }) => note(`${path} could not be read (${why}) and was moved aside`),
  });
  return { runs, sources: input.sources };
}

/** Records that the session is live; most calls find its record fresh enough and write nothing. */
export function touchSession({ store, now, input }: HookContext, runs: readonly StoredRun[]): void {
  if (input.session !== null) touchHolder(store, runs, input.session, now);
}

export function heldRun(runs: readonly StoredRun[], session: string): StoredRun | undefined {
  return runs.find((run) => isActive(run) && holderOf(run.state) === session);
}

/** Two calls with the same key are one: the hook may be installed both in the settings and by a plugin. */
export function callKey({ input }: HookContext): string {
  const { event, session, raw } = input;
  const detail =
    stringField(raw, 'source') ?? stringField(raw, 'trigger') ?? stringField(raw, 'reason') ?? '';
  return [session ?? '', event, detail, stringField(raw, 'prompt_id') ?? ''].join(' ');
}
