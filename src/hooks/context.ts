import {
  homeFolder,
  configFolder,
  findProjectRoot,
  LONGEST_PATH,
} from '../files/environment.ts';
import { HOSTS, type HostName } from '../hosts/hosts.ts';
import { isAbsent } from '../files/read-file.ts';
import { readStdin } from '../files/streams.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import {
  clientProcess,
  type ClientProcess,
  drivenClient,
  environmentOf,
} from '../sessions/client-process.ts';
import { SessionRegistry } from '../sessions/session-registry.ts';
import { readSyncInput } from '../sources/read-sources.ts';
import {
  openProject,
  projectOfSession,
  type Project,
} from '../sessions/open-project.ts';
import { heldRun } from '../sessions/holder.ts';
import { syncRuns, withoutStored } from '../sources/apply-sync.ts';
import { planSync } from '../sources/plan-sync.ts';
import { quoted } from '../text/sanitize.ts';
import { planFileOf, STATE_FOLDER } from '../state/paths.ts';
import { isDuplicateCall, recordCall } from '../state/store/answered-calls.ts';
import type { HookState } from '../state/store/hook-state.ts';
import { describeUnreadable } from '../state/store/run-files.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import type { Transaction } from '../state/store/store.ts';
import { SETTINGS_FILE } from '../settings/settings.ts';
import type { RestoreRequest } from '../guidance/restore/restore-session.ts';

/** What the host sends. Fields differ between versions, so only the name of the event is required. */
export interface HookInput {
  event: string;
  session: string | null;
  cwd: string | null;
  raw: JsonObject;
}

export type Reply = string | null;

/** The content of a file that a tool has read or written comes along, at times twice. */
const MAX_INPUT_BYTES = 20_000_000;

/** `event` is the one from the command line; it takes precedence over the one in the payload. */
export function readInput(
  event: string | undefined,
  host: HostName,
): HookInput {
  const text = readStdin(MAX_INPUT_BYTES);
  if (text === null) throw new Error('the input is larger than 20 MB');
  const raw: unknown = JSON.parse(text);
  if (!isObject(raw)) throw new Error('the input names no event');
  const named = event ?? stringField(raw, 'hook_event_name');
  if (named === null) throw new Error('the input names no event');
  // Some hosts tell their commands the session only by a variable.
  const { session: variables, events } = HOSTS[host];
  const variable = variables[0] ?? '';
  return {
    event: events?.[named] ?? named,
    session: bounded(raw['session_id']) ?? bounded(process.env[variable]),
    cwd: bounded(raw['cwd']),
    raw,
  };
}

/** Ignores ids and paths that are too long to be real, because they would be stored in the session record. */
function bounded(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null;
  return value.length <= LONGEST_PATH ? value : null;
}

/** Sub-agents fire the same hooks with their parent's session. */
export function isFromSubagent({ raw }: HookInput): boolean {
  return stringField(raw, 'agent_id') !== null;
}

export function stringField(raw: JsonObject, key: string): string | null {
  const value = raw[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Texts for the model, lines for the user, or both; null for none. `more` goes with the texts. */
export function contextReply(
  event: string,
  texts: readonly (string | null)[],
  userLines: readonly (string | null)[] = [],
  more?: object,
): Reply {
  const context = texts.filter((text) => text !== null).join('\n\n');
  const shown = userLines.filter((line) => line !== null).join('\n');
  const isEmpty = context === '' && more === undefined;
  if (isEmpty && shown === '') return null;
  const given = context === '' ? {} : { additionalContext: context };
  const output = isEmpty
    ? undefined
    : { hookEventName: event, ...given, ...more };
  const systemMessage = shown === '' ? undefined : shown;
  return JSON.stringify({ hookSpecificOutput: output, systemMessage });
}

/** The host stops SessionEnd after 1.5 seconds. */
const LOCK_WAIT_MS = 1_000;

export interface HookContext extends Project, Omit<HookInput, 'cwd'> {
  note: (problem: string) => void;
}

interface HookOptions extends Pick<
  HookContext,
  'root' | 'environment' | 'now' | 'note'
> {
  /** Whether the command line names the folder; then no other project is meant. */
  isFolderGiven: boolean;
}

export function createHookContext(
  input: HookInput,
  options: HookOptions,
): HookContext {
  const { now, note, environment } = options;
  const config = configFolder(environment, homeFolder());
  const registry = new SessionRegistry(config, now.getTime(), note);
  const client = clientProcess(environment['CLAUDE_PID']);
  const root = options.isFolderGiven
    ? options.root
    : findProject(input, options, registry, client);
  const project = openProject({
    root,
    cwd: input.cwd ?? root,
    warn: note,
    now,
    environment,
    registry,
    client,
    session: input.session,
    wakeMarks: new WakeMarks(config, input.session),
    waitMs: LOCK_WAIT_MS,
    onBadSettings: (problems) => {
      for (const problem of problems) {
        const text =
          typeof problem === 'string'
            ? problem
            : `${quoted(problem.name)} cannot be used; \`holdfast validate\` says why`;
        note(`${SETTINGS_FILE}: ${text}`);
      }
    },
    // The session gets its guidance even if nothing can be recorded.
    onWriteRefused: ({ message }) =>
      note(`nothing can be recorded: ${message}`),
  });
  const { event, session, raw } = input;
  return { ...project, event, session, raw, note };
}

/** The project in which the session, or the one before its /clear, holds a run; else that of its folder. */
function findProject(
  { session, event, raw }: HookInput,
  { root, environment }: HookOptions,
  registry: SessionRegistry,
  client: ClientProcess | null,
): string {
  if (session === null) return root;
  // A session that has changed its folder may hold a run in the project that it was launched in.
  const launchedIn = environment['CLAUDE_PROJECT_DIR'] ?? '';
  const launch =
    launchedIn === '' ? null : findProjectRoot(launchedIn, homeFolder());
  const isCleared =
    event === 'SessionStart' && stringField(raw, 'source') === 'clear';
  const former = isCleared
    ? registry.formerOf(session, [root, launch], client)
    : null;
  const owner = former ?? session;
  return projectOfSession(
    root,
    [launch, registry.entry(owner)?.project],
    owner,
  );
}

type SyncedProject = Pick<
  RestoreRequest,
  'runs' | 'sources' | 'declared' | 'ended'
>;

/** Detects workflows and brings the state files up to date; without `creates`, only those that exist. */
export function detectAndSync(
  context: HookContext,
  creates = true,
): SyncedProject {
  const { store, event, note, root } = context;
  const { runs: listed, unreadable } = store.list();
  for (const { state } of listed) {
    const plan = planFileOf(state);
    if (plan !== null && isAbsent(root, plan.path))
      store.transaction((tx) => void tx.keepPlan(state));
  }
  for (const file of unreadable)
    if (file.path === STATE_FOLDER) note(describeUnreadable(file));

  const stored = { runs: listed, sourceRecords: store.sourceRecords() };
  const { input, problems } = readSyncInput(context, stored);
  for (const { message } of problems) note(message);
  const plan = planSync(input);
  const by = `hook ${event}`;
  const options = { by, unreadable, creates, onSetAside: note };
  const runs = syncRuns(store, input, options, plan);
  const { sources } = input;

  // Most hooks find nothing to change, so what was planned still holds.
  const isSame = runs === input.runs;
  const next = isSame
    ? input
    : { ...input, runs, sourceRecords: store.sourceRecords() };
  const nextPlan = isSame ? plan : planSync(next);
  const { ended } = nextPlan;
  if (creates) return { runs, sources, declared: [], ended };

  // What would be created is offered.
  const preview = syncRuns(
    store.dryCopy(),
    next,
    { by, unreadable: [], maxChanges: Infinity },
    nextPlan,
  );
  return { runs, sources, declared: withoutStored(preview, runs), ended };
}

/** Remembers outside the project where the session holds a run, so that it is found from other folders. */
export function noteProject(context: HookContext): void {
  const { session, registry, root, client } = context;
  if (session !== null) registry.recordProject(session, root, client);
}

/** What others did to the session's run, in a line each; null for nothing. */
export function toldText(sentences: readonly string[]): string | null {
  if (sentences.length === 0) return null;
  return sentences.map((sentence) => `holdfast: ${sentence}`).join('\n');
}

/** With the session and the event, what tells one call of a hook from another. */
const CALL_FIELDS = [
  'source',
  'trigger',
  'reason',
  'prompt_id',
  'tool_use_id',
  'agent_id',
];

/** Does something under the lock, unless a second installation of the hook has answered the same call. */
export function once<T>(
  context: HookContext,
  work: (tx: Transaction) => T,
): T | null {
  const { session, event, raw, now, store } = context;
  const fields = CALL_FIELDS.map((field) => stringField(raw, field));
  const call = [session, event, ...fields].join(' ');
  const time = now.getTime();
  return store.transaction((tx) => {
    if (isDuplicateCall(tx.hookState, call, time)) return null;
    const result = work(tx);
    // Last, so that the next prompt restores the run if a write has failed.
    tx.saveHookState(recordCall(tx.hookState, call, time));
    return result;
  });
}

/** What a restore has to know about the call and the session that it comes from. */
export function restoreRequest(
  context: HookContext,
  { compactions }: HookState,
  start: SyncedProject &
    Pick<RestoreRequest, 'source' | 'isBelated' | 'hasGuidance'>,
): RestoreRequest {
  const { session, event, cwd, raw, root, client, environment, registry } =
    context;
  const entry = session === null ? null : registry.entry(session);
  const driven = drivenClient(environment);
  const compaction = session === null ? undefined : compactions[session];
  const former = formerSession(context, start);
  // After /clear, the module has told of itself in the session before it.
  const modules = [entry, former === null ? null : registry.entry(former)];
  return {
    ...context,
    ...start,
    isDriven: driven !== null,
    ownAgent: driven?.agent ?? null,
    environment: environmentOf(root, cwd, client, environment),
    began: entry?.startedAt,
    clientPlan: entry?.plan?.path,
    isOtherSeenSince: (time) =>
      session !== null &&
      registry.isOtherSeenSince(time, { session, project: root, client }),
    isAttended: environment['CLAUDE_CODE_SESSION_ATTENDED'] !== '0',
    former,
    hasModule: modules.some((each) => each?.module !== undefined),
    isAsked: event !== 'PreCompact' && compaction?.isUndecided === true,
    transcript: stringField(raw, 'transcript_path'),
  };
}

/** Only a session that was just cleared or compacted can take over the run of its predecessor, unless it has one. */
function formerSession(
  { session, registry, root, client }: HookContext,
  { source, runs }: Pick<RestoreRequest, 'source' | 'runs'>,
): string | null {
  if (session === null) return null;
  const isCleared = source === 'clear';
  const isWithoutRun =
    source === 'compact' && heldRun(runs, session) === undefined;
  if (!isCleared && !isWithoutRun) return null;
  return registry.formerOf(session, [root], client, isCleared);
}
