import type { NextAction } from '../../workflow/machine/next-action.ts';

/** The conversations of a driven run. */
export interface KnownSessions {
  /** The conversation that steps without an agent of their own share, until a clear. */
  main: string | null;
  /** The conversation of the step that is under way, if its agent has one of its own. */
  own: { entry: string; agent: string; session: string } | null;
}

export const NO_SESSIONS: KnownSessions = { main: null, own: null };

/** The conversation in which a step is worked on. */
export type SessionPlan =
  | { kind: 'fresh'; why: 'start' | 'clear' | 'agent'; agent: string | null }
  | { kind: 'known'; session: string; agent: string | null; compactFirst: boolean };

export interface SessionPlanInput {
  perform: NextAction['perform'];
  /** The agent of the step; null for the main one. */
  agent: string | null;
  /** Identifies this entry into the step; a retry is not a new one. */
  entry: string;
  sessions: KnownSessions;
}

/**
 * A clear is a fresh conversation, and so is a step with an agent of its own: the client keeps the system prompt of a
 * conversation, so it cannot become another agent's. After such a step the main conversation goes on.
 */
export function planSession({ perform, agent, entry, sessions }: SessionPlanInput): SessionPlan {
  const { main, own } = sessions;
  if (agent !== null) {
    return own !== null && own.entry === entry && own.agent === agent
      ? { kind: 'known', session: own.session, agent, compactFirst: false }
      : { kind: 'fresh', why: 'agent', agent };
  }
  if (perform === 'clear') return { kind: 'fresh', why: 'clear', agent };
  if (main === null) return { kind: 'fresh', why: 'start', agent };
  return { kind: 'known', session: main, agent, compactFirst: perform === 'compact' };
}

/** What is known once a fresh conversation was begun. A clear forgets the main one, also if an agent's step asked for it. */
export function withFresh(
  sessions: KnownSessions,
  { perform, agent, entry }: Omit<SessionPlanInput, 'sessions'>,
  session: string,
): KnownSessions {
  const main = perform === 'clear' ? null : sessions.main;
  return agent === null ? { main: session, own: null } : { main, own: { entry, agent, session } };
}
