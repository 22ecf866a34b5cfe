import { homeFolder, configFolder } from '../files/environment.ts';
import type { SyncInput } from '../sources/types.ts';
import {
  clientProcess,
  type ClientProcess,
  launchFolderOf,
  drivenClient,
  environmentOf,
} from '../sessions/client-process.ts';
import { SessionRegistry, touchHolder } from '../sessions/session-registry.ts';
import { readSyncInput } from '../sources/read-sources.ts';
import { openProject, projectOfSession, type ProjectContext } from '../operations/open-project.ts';
import { projectFiles, readingList, type ReadingEntry } from '../guidance/reading/reading-list.ts';
import { holderOf } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import { detectedRuns } from '../operations/detected-run.ts';
import type { DeclaredOffers } from '../guidance/restore/choose-restoration.ts';
import { syncRuns } from '../sources/apply-sync.ts';
import { endedSources, planSync } from '../sources/plan-sync.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import { describeUnreadable } from '../state/store/list-runs.ts';
import type { StoredRun } from '../state/types.ts';
import { SETTINGS_FILE } from '../settings/settings.ts';
import { stringField, type HookInput } from './protocol.ts';
import type { RestoreRequest } from '../guidance/restore/restore-session.ts';
import type { NewSession } from '../sessions/choose-run.ts';

/** The host stops SessionEnd after 1.5 seconds. */
const LOCK_WAIT_MS = 1_000;

/** What every handler gets. */
export interface HookContext extends ProjectContext {
  input: HookInput;
  /** Where the client was launched. */
  launchFolder: string;
  /** The process of the client, if it names one. */
  client: ClientProcess | null;
  registry: SessionRegistry;
  note: (problem: string) => void;
}

export interface HookOptions extends Pick<HookContext, 'input' | 'environment' | 'now' | 'note'> {
  /** The project that contains the folder of the call. */
  root: string;
  elsewhere: { launch: string | null } | null;
}

export function createHookContext({ elsewhere, ...call }: HookOptions): HookContext {
  const { now, note, environment } = call;
  const config = configFolder(environment, homeFolder());
  const registry = new SessionRegistry(config, now.getTime(), note);
  const client = clientProcess(environment['CLAUDE_PID']);
  const root =
    elsewhere === null
      ? call.root
      : findProject(call, { launch: elsewhere.launch, registry, client });
  const project = openProject({
    root,
    now,
    environment,
    lockWaitMs: LOCK_WAIT_MS,
    caller: { session: call.input.session, client },
    onBadSettings: (problems) => {
      for (const problem of problems)
        note(
          `${SETTINGS_FILE}: ${typeof problem === 'string' ? problem : `"${problem.name}" cannot be used; \`holdfast validate\` says why`}`,
        );
    },
    // The session gets its guidance even if nothing can be recorded.
    onWriteRefused: ({ message }) => note(`nothing can be recorded: ${message}`),
  });
  const launchFolder = launchFolderOf(environment, call.input.cwd ?? root);
  return { ...call, ...project, launchFolder, client, registry };
}

/** The project in which the session, or the one before its /clear, holds a run; else that of its folder. */
function findProject(
  { input: { session, event, raw }, root }: Pick<HookOptions, 'input' | 'root'>,
  {
    launch,
    registry,
    client,
  }: Pick<HookContext, 'registry' | 'client'> & { launch: string | null },
): string {
  if (session === null) return root;
  const isCleared = event === 'SessionStart' && stringField(raw, 'source') === 'clear';
  const former = isCleared
    ? registry.formerOf({ session, projects: [root, launch], client })
    : null;
  const owner = former ?? session;
  return projectOfSession(root, [launch, registry.projectOf(owner)], owner);
}

export interface SyncedProject extends Pick<SyncInput, 'runs' | 'sources'>, DeclaredOffers {}

/** Detects workflows and brings the state files up to date; without `creates`, only those that exist. */
export function detectAndSync(context: HookContext, { creates = true } = {}): SyncedProject {
  const { store, input: call, note } = context;
  const { runs: listed, unreadable } = store.list();
  for (const file of unreadable) if (file.path === STATE_FOLDER) note(describeUnreadable(file));
  const { input, problems } = readSyncInput(
    { ...context, session: call.session },
    { runs: listed, sourceRecords: store.sourceRecords() },
  );
  for (const { message } of problems) note(message);
  const runs = syncRuns(store, input, {
    by: `hook ${call.event}`,
    unreadable,
    creates,
    onSetAside: note,
  });
  const isSame = runs === input.runs;
  const synced = isSame ? input : { ...input, runs, sourceRecords: store.sourceRecords() };
  const declared = creates ? [] : detectedRuns(context, planSync(synced)).map(({ run }) => run);
  return { runs, sources: input.sources, declared, ended: endedSources(synced) };
}

/** Remembers outside the project where the session holds a run, so that it is found from other folders. */
export function noteProject(context: HookContext): void {
  const { input, registry, root } = context;
  if (input.session !== null) registry.recordProject(input.session, root);
}

/** Records that the session is live; most calls find its record fresh enough and write nothing. */
export function touchSession({ store, now, input }: HookContext, runs: readonly StoredRun[]): void {
  if (input.session !== null) touchHolder(store, runs, input.session, now);
}

export function heldRun(runs: readonly StoredRun[], session: string): StoredRun | undefined {
  return runs.find((run) => isActive(run) && holderOf(run.state) === session);
}

/** The required files of the run, as they are now. */
export function requiredReading(
  { root, launchFolder }: HookContext,
  { state }: StoredRun,
): ReadingEntry[] {
  // To find out what the host loads takes time.
  if (state.required_reading.length === 0) return [];
  return readingList(state, projectFiles(root, launchFolder));
}

/** Two calls with the same key are one: the hook may be installed both in the settings and by a plugin. */
export function callKey({ input }: HookContext): string {
  const { event, session, raw } = input;
  const detail =
    stringField(raw, 'source') ?? stringField(raw, 'trigger') ?? stringField(raw, 'reason') ?? '';
  return [session ?? '', event, detail, stringField(raw, 'prompt_id') ?? ''].join(' ');
}

interface RestoreStart extends Pick<
  RestoreRequest,
  'source' | 'runs' | 'sources' | 'isBelated' | 'declared' | 'ended'
> {
  /** PreCompact has not found out whose run it is, and the summary was asked: nothing else decides after that. */
  isUndecided?: boolean;
}

/** What a restore has to know about the call and the session that it comes from. */
export function restoreRequest(
  context: HookContext,
  { isUndecided, ...start }: RestoreStart,
): RestoreRequest {
  const { input, root, client, environment, registry } = context;
  const { session } = input;
  const driven = drivenClient(environment);
  return {
    ...context,
    ...start,
    isDriven: driven !== null,
    ownAgent: driven?.agent ?? null,
    environment: environmentOf(root, input.cwd ?? root, client),
    session,
    began: session === null ? undefined : registry.entry(session)?.startedAt,
    isOtherSeenSince: (time) =>
      session !== null && registry.isOtherSeenSince(time, { session, project: root, client }),
    isAttended: environment['CLAUDE_CODE_SESSION_ATTENDED'] !== '0',
    arrival: newSession(context, start.source),
    mayTakeRun: start.source === 'compact' && isUndecided !== true,
    transcript: stringField(input.raw, 'transcript_path'),
  };
}

/** Only a session that was just cleared or compacted can take over the run of its predecessor. */
function newSession(context: HookContext, source: string): NewSession | null {
  const { input, client, registry, root } = context;
  const { session } = input;
  if (session === null || (source !== 'clear' && source !== 'compact')) return null;
  const isCleared = source === 'clear';
  const former = registry.formerOf({ session, projects: [root], client, isCleared });
  return { session, former, now: context.now };
}
