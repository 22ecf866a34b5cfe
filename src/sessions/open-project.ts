import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import {
  homeFolder,
  configFolder,
  currentTime,
  findProjectRoot,
} from '../files/environment.ts';
import { shellEnvironment } from '../hosts/hosts.ts';
import { type Caller, callerAt, type Entrance, sessionOf } from './caller.ts';
import { mayNameAnyFile } from './rights.ts';
import { HoldfastError, unreadableInput } from '../text/holdfast-error.ts';
import { withholder } from '../files/context-files.ts';
import { isFolder, locate } from '../files/read-file.ts';
import {
  clientProcess,
  isClientGone,
  type ClientProcess,
  checkoutOf,
  launchFolderOf,
} from './client-process.ts';
import { heldRun, holderOf, touch } from './holder.ts';
import { type LivenessContext } from './liveness.ts';
import { messagesFor, takeMessages } from '../state/store/messages.ts';
import { Store } from '../state/store/store.ts';
import type { Run } from '../state/types.ts';
import { SessionRegistry } from './session-registry.ts';
import { listRuns } from '../state/store/run-files.ts';
import {
  describeSettings,
  loadSettings,
  SETTINGS_FILE,
  type Settings,
  type SettingsProblem,
} from '../settings/settings.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import { join, relative, resolve, sep } from 'node:path';

type Environment = Record<string, string | undefined>;

/** A project as one call sees it: everything below an entry point takes files, clock and environment from here. */
export interface Project extends LivenessContext {
  root: string;
  /** Where the call was made: the root, or a folder below it. */
  cwd: string;
  launchFolder: string;
  settings: Settings;
  store: Store;
  environment: Environment;
  client: ClientProcess | null;
  registry: SessionRegistry;
  config: string;
  /** Tells whoever made the call what is not a part of its result. */
  warn: (sentence: string) => void;
}

interface ProjectOptions extends Pick<
  Project,
  'root' | 'now' | 'environment' | 'registry' | 'warn'
> {
  /** The root, if nothing else is given. */
  cwd?: string;
  /** For a lock; nobody who only looks needs one. */
  waitMs?: number;
  /** Who asks: a client process that runs another session by now proves that the former one is over. */
  session?: string | null;
  client?: ClientProcess | null;
  onBadSettings?: (problems: readonly SettingsProblem[]) => void;
  wakeMarks?: WakeMarks;
  /** Called once if nothing can be written; without it, the refusal is thrown. */
  onWriteRefused?: (error: HoldfastError) => void;
}

export function openProject(options: ProjectOptions): Project {
  const {
    root,
    warn,
    cwd = root,
    now,
    environment,
    registry,
    client = null,
    session = null,
    waitMs = 0,
  } = options;
  const { settings, problems } = loadSettings(root);
  if (problems.length > 0) options.onBadSettings?.(problems);
  const { config } = registry;
  return {
    root,
    cwd,
    launchFolder: launchFolderOf(environment, cwd),
    warn,
    settings,
    store: new Store({
      wakeMarks: new WakeMarks(config),
      ...options,
      config,
      waitMs,
      now: () => now,
    }),
    environment,
    client,
    registry,
    config,
    now,
    hostname: hostname(),
    checkout: checkoutOf(root),
    seenAt: (id) => registry.seenAt(id),
    isGone: (record) =>
      isClientGone(record.environment, {
        client,
        isSameSession: session === null || session === record.session_id,
      }),
  };
}

/** A session keeps the run that it holds when it changes into a project of its own, such as a package or a worktree. */
export function projectOfSession(
  here: string,
  others: readonly (string | null | undefined)[],
  session: string | null,
): string {
  const candidates = others
    .filter((root) => root !== here)
    .flatMap((root) => root ?? []);
  if (session === null || candidates.length === 0) return here;
  const holdsRunIn = (root: string): boolean =>
    existsSync(join(root, STATE_FOLDER)) &&
    heldRun(listRuns(root).runs, session) !== undefined;
  return [here, ...candidates].find(holdsRunIn) ?? here;
}

export interface OperationContext extends Project {
  caller: Caller;
  /** That of the caller; null in a terminal that is not an agent's session. */
  session: string | null;
  /** The command or tool, for the session whose run a person changes. */
  command?: string;
  /** The same call with the name of a run, for a refusal. */
  retryFor?: (runId: string) => string;
  /** What a caller without a session knows of its own run; an MCP server keeps it between calls. */
  ownRun?: { runId: string | null } | undefined;
  /** Of a request that can be cancelled. */
  signal?: AbortSignal | undefined;
}

interface OperationOptions extends Pick<
  OperationContext,
  'cwd' | 'environment' | 'warn'
> {
  entrance: Entrance;
  /** Whether the user named the folder; then no other project is meant. */
  isCwdGiven: boolean;
}

const LOCK_WAIT_MS = 10_000;

export function openOperationContext(
  options: OperationOptions,
): OperationContext {
  const { cwd, entrance, warn } = options;
  const now = currentTime();
  if (!isFolder(cwd))
    throw new HoldfastError('no_such_folder', `there is no folder ${cwd}`, {
      hint: 'check --cwd',
    });
  const config = configFolder(options.environment, homeFolder());
  const registry = new SessionRegistry(config, now.getTime());
  const environment = shellEnvironment(options.environment, (id) =>
    registry.seenAt(id),
  );
  const caller = callerAt(entrance, environment, (id) =>
    currentSession(registry, id),
  );
  const session = sessionOf(caller);
  const here = findProjectRoot(cwd, homeFolder());
  const elsewhere =
    options.isCwdGiven || session === null
      ? null
      : registry.entry(session)?.project;
  const root = projectOfSession(here, [elsewhere], session);
  // CLAUDE_PID is not set for MCP servers; the host is their parent process.
  const parent = entrance.at === 'mcp' ? String(process.ppid) : undefined;
  return {
    ...openProject({
      root,
      cwd,
      warn,
      now,
      environment,
      registry,
      client: clientProcess(options.environment['CLAUDE_PID'] ?? parent),
      session,
      waitMs: LOCK_WAIT_MS,
      onBadSettings: (problems) => {
        for (const sentence of someProblems(describeSettings(problems)))
          warn(`${SETTINGS_FILE}: ${sentence}`);
      },
    }),
    caller,
    session,
  };
}

const MAX_CLEARS = 100;

/** The session itself, or the one that followed it by `/clear`, over any number of clears. */
export function currentSession(
  registry: SessionRegistry,
  session: string,
): string {
  let id = session;
  for (let clears = 0; clears < MAX_CLEARS; clears += 1) {
    const next = registry.entry(id)?.followedBy;
    if (next === undefined) break;
    id = next;
  }
  return id;
}

/** Whether output printed here reaches the context window that the run keeps record of. */
export const isHolder = (context: OperationContext, { state }: Run): boolean =>
  holderOf(state) === context.session;

/** What others did to the run of this session, told once. The caller must deliver it. */
export function tellMessages({
  store,
  now,
  session,
}: Pick<OperationContext, 'store' | 'now' | 'session'>): string[] {
  if (session === null || messagesFor(store.hookState(), session).length === 0)
    return [];
  return store.transaction((tx) => {
    const { news, memory } = takeMessages(tx.hookState, session, now);
    tx.saveHookState(memory);
    return news;
  });
}

/** Records in its run that the session is live, for those who do not see what stands in its user's folder. */
export function touchSession({
  store,
  session,
  now,
  warn,
}: OperationContext): void {
  if (session === null) return;
  const isStale = ({ state }: Run): boolean =>
    holderOf(state) === session && touch(state, session, now) !== state;
  const stale = store.list().runs.filter(isStale);
  if (stale.length === 0) return;
  try {
    store.transaction((tx) => {
      for (const run of stale
        .flatMap((listed) => tx.reread(listed) ?? [])
        .filter(isStale))
        tx.write(run, touch(run.state, session, now));
    });
  } catch (error) {
    // The operation has succeeded and stays reported as such if only this write fails.
    if (!(error instanceof HoldfastError)) throw error;
    warn(error.message);
  }
}

/** A path relative to the project root. The given one may be relative to the root or to the working directory. */
export function projectPath(
  { root, cwd }: OperationContext,
  path: string,
): string {
  const inRoot = /^\{project_root\}\/+(.+)$/.exec(path)?.[1];
  const fromHere =
    inRoot === undefined ? resolve(cwd, path) : join(root, inRoot);
  const fromRoot = join(root, path);
  const full =
    !existsSync(fromHere) && existsSync(fromRoot) ? fromRoot : fromHere;
  return relative(root, full).split(sep).join('/');
}

/**
 * The client lets an agent name files to holdfast without asking, so they must not show it what it may not read. The
 * plans that the client has stored are the agent's own.
 */
export function requireReadable(context: OperationContext, path: string): void {
  if (mayNameAnyFile(context.caller)) return;
  const { root, cwd, environment } = context;
  const plans = join(configFolder(environment, homeFolder()), 'plans');
  const isWithheld = withholder(root);
  for (const full of [resolve(cwd, path), resolve(root, path)]) {
    const isOutside =
      locate(root, full) === 'outside the project' &&
      locate(plans, full) !== 'inside';
    if (isOutside || isWithheld(full))
      throw unreadableInput(
        path,
        `it is ${isOutside ? 'outside the project' : 'withheld from agents'}, and this is an agent's session`,
        'pipe the text in where the command takes `-`, or name a file in the project; nothing was changed',
      );
  }
}

/** Every command of an agent tells them again. */
const MAX_PROBLEMS = 10;

function someProblems(sentences: readonly string[]): string[] {
  const left = sentences.length - MAX_PROBLEMS;
  const shown = sentences.slice(0, MAX_PROBLEMS);
  return left <= 0
    ? shown
    : [...shown, `and ${left} more problems; \`holdfast validate\` names them`];
}
