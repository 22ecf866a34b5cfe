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
import { startOf } from './record.ts';
import type { StepAt } from './step.ts';
import { sessionCost } from './stream.ts';
import { ownEntry } from '../text/json.ts';

export interface SessionWanted {
  at: StepAt;
  perform: NextAction['perform'];
  wantsReport: boolean;
  budgetLeft: number | null;
  /** The session that the driver gave the run to before; null if it has not yet. */
  heldBy: string | null;
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
): Promise<{ client: Client; compactFirst: boolean }> {
  const { setup, record, runId } = context;
  const { at, perform, wantsReport, heldBy } = wanted;
  const { entry } = at;
  const { agent } = at.status;
  const { main, own } = record.memory.sessions;
  const continued = agent === null && perform !== 'clear' ? main : null;
  const isOwn = agent !== null && own?.entry === entry && own.agent === agent;
  const planned = isOwn ? own.session : continued;
  const compactFirst = continued !== null && perform === 'compact';
  if (present !== null && !present.hasExited) {
    const { launch } = present;
    const isFit = launch.wantsReport || !wantsReport;
    if (isFit && launch.session === planned && launch.agent === agent)
      return { client: present, compactFirst };
  }
  await present?.end();

  const isFresh = planned === null;
  const session = planned ?? randomUUID();
  if (isFresh) {
    // A clear forgets the main conversation, also if an agent's step asked for it.
    const left = perform === 'clear' ? null : main;
    const sessions =
      agent === null
        ? { main: session, own: null }
        : { main: left, own: { entry, agent, session } };
    record.update({ sessions, client: null });
  }
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
  // Some versions go on counting across a resume, others begin anew: the client says which before the first turn.
  if (!isFresh)
    client.costBefore = sessionCost(
      (await client.ask('get_session_cost')) ?? {},
    );
  const kind = isFresh ? 'fresh' : 'resumed';
  context.emit({ event: 'session', session, kind, agent, stream: log.stream });
  return { client, compactFirst };
}

const MAX_DESCRIPTION = 2_000;

/** For an agent without a file of its own, the template describes it. */
function agentsFor({ agents = {} }: Template, name: string): object {
  const found = ownEntry(agents, name);
  const description = found?.description ?? name;
  const prompt = [
    `You are the agent ${quoted(name)}. The template describes it so: ${quoted(description, MAX_DESCRIPTION)}`,
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
  { options: { model, permissionMode, allow }, setup }: DriveContext,
  { at, budgetLeft, wantsReport }: SessionWanted,
  session: string,
  isFresh: boolean,
): string[] {
  const { agent } = at.status;
  const isDescribed = agent !== null && !setup.hasAgentFile(agent);
  const options: [string, string | null | undefined][] = [
    ['--output-format', 'stream-json'],
    ['--input-format', 'stream-json'],
    [isFresh ? '--session-id' : '--resume', session],
    ['--model', model],
    ['--permission-mode', permissionMode],
    ['--settings', setup.settings],
    [
      '--agents',
      isDescribed ? JSON.stringify(agentsFor(at.template, agent)) : null,
    ],
    ['--agent', agent],
    ['--max-budget-usd', budgetLeft?.toFixed(4)],
    ['--json-schema', wantsReport ? JSON.stringify(REPORT_SCHEMA) : null],
  ];
  return [
    '-p',
    '--verbose',
    ...options.flatMap(([name, value]) =>
      typeof value === 'string' ? [name, value] : [],
    ),
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

/** `driver` marks what the client starts as part of this run; the shell finds the `holdfast` of the program folder first. */
export function clientEnvironment(
  environment: Environment,
  driver: string,
  programFolder: string,
) {
  const own = Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !OF_ANOTHER_SESSION.has(name.toUpperCase()),
    ),
  );
  const pathName =
    Object.keys(own).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  return {
    // Retries of the client itself; the driver waits longer between its own.
    CLAUDE_CODE_MAX_RETRIES: '3',
    ...own,
    // Work in the background would end after the turn that the step is judged by.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    HOLDFAST_DRIVER: driver,
    // For bin/holdfast: the first Node on the PATH may be any.
    HOLDFAST_NODE: process.execPath,
    [pathName]: own[pathName]
      ? `${programFolder}${delimiter}${own[pathName]}`
      : programFolder,
  };
}
