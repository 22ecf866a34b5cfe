import { type Caller, isTypedInClient } from './caller.ts';
import { isSameProcess, type ClientProcess } from './client-process.ts';

// All rights of callers. SECURITY.md says the same in words; every command asks here, and nowhere else.

/** Approve, send back, trust, switch sync on, act on the page: an agent would answer its own question. */
export const mayDecide = (caller: Caller): boolean => caller.kind === 'person';

/** Answer for a run; `holder` is the client of the session that holds it. What is typed in a client is about a run there. */
export function mayAnswerFor(
  caller: Caller,
  holder: ClientProcess | null,
): boolean {
  if (!isTypedInClient(caller)) return mayDecide(caller);
  // Where no start of a process can be read, an equal id counts.
  return holder !== null && isSameProcess(caller.client, holder) !== false;
}

/** Say which secret proves what a person types in a client: its module, which no agent has started. */
export const mayBringSecret = (caller: Caller): boolean =>
  caller.kind === 'person' && caller.at === 'terminal';

/** Change a run that a live session holds. That session is told; `holdfast run` has checked it before. */
export const mayChangeHeldRun = (caller: Caller): boolean =>
  caller.kind !== 'agent';

/** Whether changing a run that nobody holds makes the caller's session its holder. */
export const takesChangedRun = (caller: Caller): boolean =>
  caller.kind === 'agent';

/** Change the only active run without naming it, although a live session holds it. */
export const mayMeanHeldRun = (caller: Caller): boolean =>
  caller.kind !== 'agent';

/** End a run before the gates and approvals that are left. */
export const mayEndBeforeGates = (caller: Caller): boolean =>
  caller.kind !== 'agent';

/** Be shown files outside the project, or such as a rule of the client withholds from agents. */
export const mayNameAnyFile = (caller: Caller): boolean =>
  caller.kind !== 'agent';

/** Replace a file that is no todo list: what the repository says may have told an agent to use --force. */
export const mayReplaceAnyTodoFile = (caller: Caller): boolean =>
  caller.kind !== 'agent';
