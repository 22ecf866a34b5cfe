import { randomUUID } from 'node:crypto';
import { delimiter } from 'node:path';
import type { Environment } from '../files/run-command.ts';
import { holdForClient } from './move.ts';
import { driverVariable } from '../sessions/client-process.ts';
import { quoted } from '../text/sanitize.ts';
import type { NextAction } from '../templates/next.ts';
import type { Template } from '../machine/template-types.generated.ts';
import { Client } from './client.ts';
import type { DriveContext } from './setup.ts';
import { startOf } from './running-process.ts';
import type { StepAt } from './run-now.ts';
import { sessionCost } from './stream.ts';
import { ownEntry } from '../text/json.ts';

export interface SessionWanted {
  at: StepAt;
  perform: NextAction['perform'];
  /** Ask for a structured report at the end of the turn. */
  wantsReport: boolean;
  /** In dollars; null without a limit. */
  budgetLeft: number | null;
  /** The session that the driver gave the run to before; null if it has not yet. */
  heldBy: string | null;
}

export interface PreparedClient {
  client: Client;
  /** `/compact` is due before the next turn. */
  compactFirst: boolean;
}

/**
 * The client for the next turn: the present one if it fits, else another one that continues or begins a conversation.
 * A clear is a fresh conversation, and so is a step with an agent of its own: the client keeps the system prompt of a
 * conversation, so it cannot become another agent's. After such a step the main conversation goes on.
 */
export async function prepareClient(
  context: DriveContext,
  present: Client | null,
  wanted: SessionWanted,
): Promise<PreparedClient> {
  const planned = sessionToContinue(context, wanted);
  const isMain = wanted.at.status.agent === null;
  const compactFirst =
    isMain && planned !== null && wanted.perform === 'compact';
  if (present !== null && fits(present, planned, wanted))
    return { client: present, compactFirst };

  await present?.end();
  const client = await startClient(context, planned, wanted);
  return { client, compactFirst };
}

/** Null if a fresh conversation is to begin. */
function sessionToContinue(
  { record }: DriveContext,
  { at, perform }: SessionWanted,
): string | null {
  const { main, own } = record.memory.sessions;
  const { agent } = at.status;
  if (agent === null) return perform === 'clear' ? null : main;
  const isSameEntry = own?.entry === at.entry && own.agent === agent;
  return isSameEntry ? own.session : null;
}

function fits(
  { hasExited, launch }: Client,
  planned: string | null,
  { at, wantsReport }: SessionWanted,
): boolean {
  if (hasExited || (wantsReport && !launch.wantsReport)) return false;
  return launch.session === planned && launch.agent === at.status.agent;
}

/** `planned` is the session to continue; null for a fresh one. */
async function startClient(
  context: DriveContext,
  planned: string | null,
  wanted: SessionWanted,
): Promise<Client> {
  const { setup, record, runId } = context;
  const { at, heldBy, wantsReport } = wanted;
  const { agent } = at.status;
  const isFresh = planned === null;
  const session = planned ?? randomUUID();
  if (isFresh) rememberSession(context, session, wanted);
  holdForClient(context.open(session), runId, {
    session,
    heldBy,
    isFresh,
    agent,
  });

  const token = randomUUID();
  const log = context.log.nextClient(at.machine.step);
  const driver = driverVariable({ token, runId, agent });
  const client = new Client({
    program: setup.client.program,
    args: clientArguments(context, wanted, session, isFresh),
    cwd: context.root,
    environment: clientEnvironment(
      setup.environment,
      driver,
      setup.programFolder,
    ),
    log,
    session,
    agent,
    isResumed: !isFresh,
    wantsReport,
  });

  // Before its first prompt: a client that nobody has recorded never gets one, and ends with its driver.
  const { pid } = client;
  if (pid !== null)
    record.update({ client: { pid, start: startOf(pid), token, session } });

  if (!isFresh) {
    // Some versions go on counting across a resume, others begin anew: the client says which before the first turn.
    const answer = await client.ask('get_session_cost');
    client.costBefore = sessionCost(answer ?? {});
  }
  const kind = isFresh ? 'fresh' : 'resumed';
  context.emit({ event: 'session', session, kind, agent, stream: log.stream });
  return client;
}

function rememberSession(
  { record }: DriveContext,
  session: string,
  { at, perform }: SessionWanted,
): void {
  const { agent } = at.status;
  if (agent === null) {
    const sessions = { main: session, own: null };
    record.update({ sessions, client: null });
    return;
  }
  // A clear forgets the main conversation, also if an agent's step asked for it.
  const main = perform === 'clear' ? null : record.memory.sessions.main;
  const own = { entry: at.entry, agent, session };
  record.update({ sessions: { main, own }, client: null });
}

const MAX_DESCRIPTION_CHARS = 2_000;

/** For an agent without a file of its own, the template describes it. */
function agentsFor({ agents = {} }: Template, name: string): object {
  const found = ownEntry(agents, name);
  const description = found?.description ?? name;
  const prompt = [
    `You are the agent ${quoted(name)}. The template describes it so: ${quoted(description, MAX_DESCRIPTION_CHARS)}`,
    'You work on one step of a holdfast run yourself, without delegating it. `holdfast status` shows the instructions, `holdfast advance` finishes the step.',
  ].join('\n');
  return { [name]: { description, prompt } };
}

/** The report that a turn may end with instead of a command. */
const REPORT_SCHEMA = {
  type: 'object',
  properties: {
    done: {
      type: 'boolean',
      description: 'Whether the work of this step is finished.',
    },
    output: {
      type: 'string',
      description: 'If it is finished: what later steps need to know.',
    },
    reason: {
      type: 'string',
      description: 'If it is not finished: what is missing or wrong.',
    },
  },
  required: ['done'],
  additionalProperties: false,
} as const;

/** Prompts go over standard input: one that starts with `-` would be taken as an option. */
function clientArguments(
  { options, setup }: DriveContext,
  { at, budgetLeft, wantsReport }: SessionWanted,
  session: string,
  isFresh: boolean,
): string[] {
  const { model, permissionMode, allow } = options;
  const { agent } = at.status;

  const words = ['-p', '--verbose'];
  const add = (option: string, value: string | null | undefined): void => {
    if (typeof value === 'string') words.push(option, value);
  };
  add('--output-format', 'stream-json');
  add('--input-format', 'stream-json');
  add(isFresh ? '--session-id' : '--resume', session);
  add('--model', model);
  add('--permission-mode', permissionMode);
  add('--settings', setup.settings);
  if (agent !== null && !setup.hasAgentFile(agent))
    add('--agents', JSON.stringify(agentsFor(at.template, agent)));
  add('--agent', agent);
  add('--max-budget-usd', budgetLeft?.toFixed(4));
  if (wantsReport) add('--json-schema', JSON.stringify(REPORT_SCHEMA));
  // Last: it takes all words that follow.
  if (allow.length > 0) words.push('--allowedTools', ...allow);
  return words;
}

/** What a client tells the programs that it starts about itself: another client must not take it for its own. */
const VARIABLES_OF_A_SESSION: ReadonlySet<string> = new Set([
  'CLAUDECODE',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_PID',
  'CLAUDE_EFFORT',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PROJECT_DIR',
  'AI_AGENT',
  'TRACEPARENT',
  'HOLDFAST_DRIVER',
]);

/**
 * The user's own environment without what belongs to another session. `driver` marks what the client starts as part of
 * this run; the agent's shell finds the `holdfast` of the program folder first.
 */
export function clientEnvironment(
  environment: Environment,
  driver: string,
  programFolder: string,
): Environment {
  // Names have no case on Windows, where PATH is usually called Path.
  const own = Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !VARIABLES_OF_A_SESSION.has(name.toUpperCase()),
    ),
  );
  const pathName =
    Object.keys(own).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const path = own[pathName];
  return {
    // Retries of the client itself; the driver waits longer between its own.
    CLAUDE_CODE_MAX_RETRIES: '3',
    ...own,
    // Work in the background would end after the turn that the step is judged by.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    HOLDFAST_DRIVER: driver,
    // For bin/holdfast: the first Node on the PATH may be any.
    HOLDFAST_NODE: process.execPath,
    [pathName]: path ? `${programFolder}${delimiter}${path}` : programFolder,
  };
}
