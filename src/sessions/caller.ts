import { isAgentShell } from '../hosts/hosts.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine, shortId } from '../text/sanitize.ts';
import { type ClientProcess, runsOfGates } from './client-process.ts';

/** Who asks. Made once, where a call comes in, from what can be proved there. What a caller may do stands in rights.ts. */
export type Caller = Person | PersonInClient | Agent | Driver;

/** Somebody in a terminal that shows no agent, or at the page of `holdfast ui --act`, which such a terminal started. */
interface Person {
  kind: 'person';
  at: 'terminal' | 'page';
}

/** Somebody who typed in Claude Code, as the secret of the module there proves. */
interface PersonInClient {
  kind: 'person';
  at: 'client';
  client: ClientProcess;
}

interface Agent {
  kind: 'agent';
  /** `module`: a program outside the agent's shell that names a session, such as the module inside the client. */
  via: 'shell' | 'mcp' | 'module';
  /** Null where the agent tells no session. */
  session: string | null;
}

/** `holdfast run`, which moves a run itself. */
interface Driver {
  kind: 'driver';
  /** The session of the client that it starts, while it acts for that one. */
  session: string | null;
}

/** Where a call comes in. `named` is what `--session` says. */
export type Entrance =
  | { at: 'shell' | 'mcp'; named: string | undefined }
  /** With `--proof`; `proven` is the client whose secret was given, null for a wrong one or none. */
  | { at: 'client'; named: string | undefined; proven: ClientProcess | null }
  | { at: 'page' }
  | { at: 'driver'; session: string | null };

type Environment = Readonly<Record<string, string | undefined>>;

/** `current` turns the id of a session that ended by `/clear` into the one that followed it in the same client. */
export function callerAt(
  entrance: Entrance,
  environment: Environment,
  current: (session: string) => string,
): Caller {
  if (entrance.at === 'page') return { kind: 'person', at: 'page' };
  if (entrance.at === 'driver')
    return { kind: 'driver', session: entrance.session };

  const { at, named: option } = entrance;
  const named = idOrNull(option);
  // An MCP server outlives `/clear` and keeps the id of the session before it.
  const session = currentOrNull(environment['CLAUDE_CODE_SESSION_ID'], current);
  // What a gate runs is code of the project, which an agent may have written, and it gets no variables of the agent.
  const isInGate = runsOfGates(environment).length > 0;
  if (session !== null || isAgentShell(environment) || isInGate) {
    if (named !== null && (session === null || current(named) !== session))
      throw foreignSession(named);
    return { kind: 'agent', via: at === 'mcp' ? 'mcp' : 'shell', session };
  }
  const target = currentOrNull(option, current);
  if (at === 'mcp') return { kind: 'agent', via: 'mcp', session: target };
  if (target !== null) return { kind: 'agent', via: 'module', session: target };
  if (entrance.at !== 'client') return { kind: 'person', at: 'terminal' };
  if (entrance.proven === null) throw notProven();
  return { kind: 'person', at: 'client', client: entrance.proven };
}

export const isTypedInClient = (caller: Caller): caller is PersonInClient =>
  caller.kind === 'person' && caller.at === 'client';

/** The session in whose name the caller acts. */
export const sessionOf = (caller: Caller): string | null =>
  caller.kind === 'person' ? null : caller.session;

/** Who reads the reply to a call: a text that is meant for the one is of no use to the other. */
export type Reader = 'person' | 'model';

export const readerOf = (caller: Caller): Reader =>
  caller.kind === 'person' ? 'person' : 'model';

/** How the journal names the way by which a change came in. */
export function channelOf(caller: Caller): 'cli' | 'mcp' | 'run' {
  if (caller.kind === 'driver') return 'run';
  return caller.kind === 'agent' && caller.via === 'mcp' ? 'mcp' : 'cli';
}

function currentOrNull(
  id: string | undefined,
  current: (session: string) => string,
): string | null {
  const session = idOrNull(id);
  return session === null ? null : current(session);
}

function idOrNull(id: string | undefined): string | null {
  const trimmed = (id ?? '').trim();
  return trimmed === '' ? null : trimmed;
}

/** The same for every reason, so that nobody learns which clients have a secret. */
function notProven(): HoldfastError {
  const message = 'nothing proves that a person typed this in Claude Code';
  const hint =
    'type the command in a terminal, without --proof; nothing was changed';
  return new HoldfastError('not_proven', message, { hint });
}

function foreignSession(named: string): HoldfastError {
  const message = `--session names ${sanitizeLine(shortId(named))}, which is not the session of this agent`;
  const hint =
    'leave out --session; an agent acts in its own session only; nothing was changed';
  return new HoldfastError('foreign_session', message, { hint });
}
