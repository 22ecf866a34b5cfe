import { randomUUID } from 'node:crypto';
import { delimiter } from 'node:path';
import type { Environment } from '../files/run-command.ts';
import { holdForClient } from './run-changes.ts';
import { driverVariable } from '../sessions/client-process.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { NextAction } from '../templates/next.ts';
import type { Template } from '../templates/template-types.generated.ts';
import { Client } from './client.ts';
import type { DriveContext } from './context.ts';
import { startOf, type Conversations } from './record.ts';
import { sessionCost } from './stream.ts';

/** A client that is ready for the prompts of a step. */
export interface WorkingClient {
  client: Client;
  session: string;
  agent: string | null;
  isResumed: boolean;
  wantsReport: boolean;
  /** What the client counts as spent before its next turn; null if it did not say. */
  costBefore: number | null;
}

export interface SessionPlanInput {
  perform: NextAction['perform'];
  /** The agent of the step; null for the main one. */
  agent: string | null;
  /** Identifies this entry into the step; a retry is not a new one. */
  entry: string;
}

/**
 * A clear is a fresh conversation, and so is a step with an agent of its own: the client keeps the system prompt of a
 * conversation, so it cannot become another agent's. After such a step the main conversation goes on. A session of null is
 * a fresh one.
 */
function planSession(
  { perform, agent, entry }: SessionPlanInput,
  { main, own }: Conversations,
): { session: string | null; compactFirst: boolean } {
  if (agent !== null) {
    const isSame = own?.entry === entry && own.agent === agent;
    return { session: isSame ? own.session : null, compactFirst: false };
  }
  const session = perform === 'clear' ? null : main;
  return { session, compactFirst: session !== null && perform === 'compact' };
}

/** What is known once a fresh conversation was begun. A clear forgets the main one, also if an agent's step asked for it. */
function withFresh(
  { main }: Conversations,
  { perform, agent, entry }: SessionPlanInput,
  session: string,
): Conversations {
  if (agent === null) return { main: session, own: null };
  return { main: perform === 'clear' ? null : main, own: { entry, agent, session } };
}

export interface SessionWanted extends SessionPlanInput {
  step: string;
  template: Template;
  /** Ask for a structured report at the end of the turn. */
  wantsReport: boolean;
  budgetLeft: number | null;
  /** The session that the driver gave the run to before; null if it has not yet. */
  heldBy: string | null;
}

/** The client for the next turn: the present one if it fits, else another one that continues or begins a conversation. */
export async function prepareClient(
  context: DriveContext,
  present: WorkingClient | null,
  wanted: SessionWanted,
): Promise<{ working: WorkingClient; compactFirst: boolean }> {
  const { record, runId } = context;
  const { agent, heldBy } = wanted;
  const { session: planned, compactFirst } = planSession(wanted, record.memory.sessions);
  const isPresent =
    present !== null &&
    !present.client.hasExited &&
    present.session === planned &&
    present.agent === agent &&
    (present.wantsReport || !wanted.wantsReport);
  if (isPresent) return { working: present, compactFirst };
  await present?.client.end();

  const isFresh = planned === null;
  const session = planned ?? randomUUID();
  if (isFresh)
    record.update({ sessions: withFresh(record.memory.sessions, wanted, session), client: null });
  holdForClient(context.open(session), runId, { session, heldBy, isFresh, agent });
  return { working: await launch(context, wanted, session, !isFresh), compactFirst };
}

async function launch(
  context: DriveContext,
  wanted: SessionWanted,
  session: string,
  isResumed: boolean,
): Promise<WorkingClient> {
  const { setup, record, runId, root } = context;
  const { step, agent, wantsReport } = wanted;
  const token = randomUUID();
  const log = context.log.nextClient(step);
  const driver = driverVariable({ token, runId, agent });
  const client = new Client({
    program: setup.client.program,
    args: clientArguments(context, wanted, session, isResumed),
    cwd: root,
    environment: clientEnvironment(setup.environment, driver, setup.programFolder),
    log,
  });
  // Before its first prompt: a client that nobody has recorded never gets one, and ends with its driver.
  if (client.pid !== null) {
    const { pid } = client;
    record.update({ client: { pid, start: startOf(pid), token, session } });
  }
  // Some versions go on counting across a resume, others begin anew: the client says which before the first turn.
  const answer = isResumed ? await client.ask('get_session_cost') : null;
  const costBefore = isResumed ? sessionCost(answer ?? {}) : 0;
  const kind = isResumed ? 'resumed' : 'fresh';
  context.emit({ event: 'session', session, kind, agent, stream: log.stream });
  return { client, session, agent, isResumed, wantsReport, costBefore };
}

/** For an agent without a file of its own, the template describes it. */
function agentsFor({ agents = {} }: Template, name: string): object {
  const found = Object.hasOwn(agents, name) ? agents[name] : undefined;
  const description = found?.description ?? name;
  const prompt = [
    `You are the agent "${sanitizeLine(name)}": ${sanitizeLine(description)}`,
    'You work on one step of a holdfast run yourself, without delegating it. `holdfast status` shows the instructions, `holdfast advance` finishes the step.',
  ].join('\n');
  return { [name]: { description, prompt } };
}

/** The report that a turn may end with instead of a command. */
const REPORT_SCHEMA = {
  type: 'object',
  properties: {
    done: { type: 'boolean', description: 'Whether the work of this step is finished.' },
    output: { type: 'string', description: 'If it is finished: what later steps need to know.' },
    reason: { type: 'string', description: 'If it is not finished: what is missing or wrong.' },
  },
  required: ['done'],
  additionalProperties: false,
} as const;

/** Prompts go over standard input: one that starts with `-` would be taken as an option. */
function clientArguments(
  { options: { model, permissionMode, allow }, setup }: DriveContext,
  { agent, template, budgetLeft, wantsReport }: SessionWanted,
  session: string,
  isResumed: boolean,
): string[] {
  const isDescribed = agent !== null && !setup.hasAgentFile(agent);
  const options: [string, string | null | undefined][] = [
    ['--output-format', 'stream-json'],
    ['--input-format', 'stream-json'],
    [isResumed ? '--resume' : '--session-id', session],
    ['--model', model],
    ['--permission-mode', permissionMode],
    ['--settings', setup.settings],
    ['--agents', isDescribed ? JSON.stringify(agentsFor(template, agent)) : null],
    ['--agent', agent],
    ['--max-budget-usd', budgetLeft?.toFixed(4)],
    ['--json-schema', wantsReport ? JSON.stringify(REPORT_SCHEMA) : null],
  ];
  return [
    '-p',
    '--verbose',
    ...options.flatMap(([name, value]) => (typeof value === 'string' ? [name, value] : [])),
    // Last: it takes all words that follow.
    ...(allow.length === 0 ? [] : ['--allowedTools', ...allow]),
  ];
}

/** What a client tells the programs that it starts about itself: another client must not take it for its own. */
const OF_ANOTHER_SESSION = new Set(
  'CLAUDECODE CLAUDE_CODE_SESSION_ID CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_SSE_PORT CLAUDE_PID CLAUDE_EFFORT CLAUDE_ENV_FILE CLAUDE_PROJECT_DIR AI_AGENT TRACEPARENT HOLDFAST_DRIVER'.split(
    ' ',
  ),
);
/** Retries of the client itself; the driver waits longer between its own. */
const CLIENT_RETRIES = '3';

/**
 * The user's own environment without what belongs to another session. `driver` marks what the client starts as part of
 * this run; the agent's shell finds the `holdfast` of the program folder first.
 */
export function clientEnvironment(
  environment: Environment,
  driver: string,
  programFolder: string,
): Environment {
  const own = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !OF_ANOTHER_SESSION.has(name.toUpperCase())),
  );
  const pathName = Object.keys(own).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  return {
    CLAUDE_CODE_MAX_RETRIES: CLIENT_RETRIES,
    ...own,
    // Work in the background would end after the turn that the step is judged by.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    HOLDFAST_DRIVER: driver,
    [pathName]: own[pathName] ? `${programFolder}${delimiter}${own[pathName]}` : programFolder,
  };
}
