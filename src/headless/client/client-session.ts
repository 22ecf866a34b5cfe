import { randomUUID } from 'node:crypto';
import { delimiter } from 'node:path';
import { holdForClient } from '../../operations/drive.ts';
import { clientProcess } from '../../sessions/client-process.ts';
import { driverVariable } from '../../sessions/driven-client.ts';
import type { Template } from '../../workflow/template/template-types.generated.ts';
import { clientArguments, type AgentSpec } from './arguments.ts';
import { startClient, within, type Client } from './client-process.ts';
import { clientEnvironment } from './environment.ts';
import type { DriveContext } from '../drive-context.ts';
import { sessionCost } from './stream-message.ts';
import { agentPrompt } from '../turn/prompts.ts';
import { planSession, withFresh, type SessionPlanInput } from '../step/step-session.ts';

/** A client that is ready for the prompts of a step. */
export interface WorkingClient {
  client: Client;
  session: string;
  agent: string | null;
  isResumed: boolean;
  wantsReport: boolean;
  /** What the client counts as spent before its next turn; null if it did not say. */
  costBefore: number | null;
  hasExited: boolean;
}

export interface SessionWanted extends Omit<SessionPlanInput, 'sessions'> {
  step: string;
  template: Template;
  /** Ask for a structured report at the end of the turn. */
  wantsReport: boolean;
  budgetLeft: number | null;
  /** The session that the driver gave the run to before; null if it has not yet. */
  heldBy: string | null;
}

export interface ReadyClient {
  working: WorkingClient;
  /** The conversation has to be compacted before its first prompt. */
  compactFirst: boolean;
}

/** How long a client gets to end in order, with its last hooks. */
export const END_GRACE_MS = 15_000;
/** A client that has just been started answers only when it is ready for its first turn. */
const ANSWER_MS = 10_000;

/** The client for the next turn: the present one if it fits, else another one that continues or begins a conversation. */
export async function prepareClient(
  context: DriveContext,
  present: WorkingClient | null,
  wanted: SessionWanted,
): Promise<ReadyClient> {
  const { record } = context;
  const plan = planSession({ ...wanted, sessions: record.memory.sessions });
  const compactFirst = plan.kind === 'known' && plan.compactFirst;
  const isPresent =
    present !== null &&
    !present.hasExited &&
    plan.kind === 'known' &&
    present.session === plan.session &&
    present.agent === plan.agent &&
    (present.wantsReport || !wanted.wantsReport);
  if (isPresent) return { working: present, compactFirst };
  if (present !== null) await present.client.end(END_GRACE_MS);

  const isFresh = plan.kind === 'fresh';
  const session = isFresh ? randomUUID() : plan.session;
  if (isFresh)
    record.update({ sessions: withFresh(record.memory.sessions, wanted, session), client: null });
  holdForClient(context.open(session), context.runId, {
    session,
    heldBy: wanted.heldBy,
    isFresh,
    agent: plan.agent,
  });
  const working = await launch(context, wanted, {
    session,
    agent: plan.agent,
    isResumed: !isFresh,
  });
  return { working, compactFirst };
}

async function launch(
  context: DriveContext,
  { step, template, wantsReport, budgetLeft }: SessionWanted,
  { session, agent, isResumed }: Pick<WorkingClient, 'session' | 'agent' | 'isResumed'>,
): Promise<WorkingClient> {
  const { setup, options, record, log, runId, root } = context;
  const token = randomUUID();
  const files = log.nextFiles(step);
  const client = startClient({
    program: setup.client.program,
    args: clientArguments({
      session,
      isResumed,
      model: options.model,
      permissionMode: options.permissionMode,
      allow: options.allow,
      settings: setup.settings,
      agent: agent === null ? null : agentSpec(context, template, agent),
      budget: budgetLeft,
      wantsReport,
    }),
    cwd: root,
    environment: clientEnvironment(setup.environment, {
      driver: driverVariable({ token, runId, agent }),
      programFolder: setup.programFolder,
      pathDelimiter: delimiter,
    }),
    stream: files.stream,
    errors: files.errors,
  });
  const working: WorkingClient = {
    client,
    session,
    agent,
    isResumed,
    wantsReport,
    costBefore: 0,
    hasExited: false,
  };
  void client.exited.then(() => {
    working.hasExited = true;
  });
  // Before its first prompt: a client that nobody has recorded never gets one, and ends with its driver.
  if (client.pid !== null) {
    const { pid } = client;
    const start = clientProcess(String(pid))?.start ?? null;
    record.update({ client: { pid, start, token, session, agent, stream: files.name } });
  }
  if (isResumed) working.costBefore = await costSoFar(client);
  const kind = isResumed ? 'resumed' : 'fresh';
  context.emit({ event: 'session', session, kind, agent, stream: `${log.folder}/${files.name}` });
  return working;
}

/** Some versions go on counting across a resume, others begin anew: the client says which before the first turn. */
async function costSoFar(client: Client): Promise<number | null> {
  const id = `cost-${randomUUID()}`;
  let unlisten = (): void => undefined;
  const answer = new Promise<number | null>((settle) => {
    unlisten = client.listen((message) => {
      if (message.kind === 'response' && message.request === id) settle(sessionCost(message.body));
    });
  });
  client.ask('get_session_cost', id);
  const cost = await within(Promise.race([answer, client.exited.then(() => null)]), ANSWER_MS);
  unlisten();
  return cost ?? null;
}

/** An agent with a file of its own is defined there; for another one the template describes it. */
function agentSpec({ setup }: DriveContext, { agents }: Template, name: string): AgentSpec {
  if (setup.hasAgentFile(name)) return { name, definition: null };
  const known = agents !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined;
  const description = known?.description ?? name;
  return { name, definition: { description, prompt: agentPrompt(name, description) } };
}
