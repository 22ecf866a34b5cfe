import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from './open-project.ts';
import { requireRun } from './target-run.ts';

/** Whether an agent makes this call: the environment shows it, or a session was named. */
export function isRunByAgent({
  session,
  environment,
}: Pick<OperationContext, 'session' | 'environment'>): boolean {
  const { CLAUDECODE = '', CLAUDE_CODE_SESSION_ID = '' } = environment;
  return session !== null || CLAUDECODE !== '' || CLAUDE_CODE_SESSION_ID !== '';
}

/** Whether the client runs this command for an agent, which its permission rules may allow without a question. */
export function isInAgentsShell({ environment }: Pick<OperationContext, 'environment'>): boolean {
  return (environment['CLAUDECODE'] ?? '') !== '';
}

/** An approval that the agent could give to itself would be none. */
export function requirePerson(
  context: OperationContext,
  command: 'approve' | 'reject',
  name: string | undefined,
): void {
  if (!isRunByAgent(context)) return;
  const run = runMeant(context, name);
  throw new HoldfastError({ code: 'approval_from_agent', command, run });
}

/** The run that the agent means, for the user's terminal, where the same words may mean another one. */
function runMeant(context: OperationContext, name: string | undefined): string | null {
  try {
    return requireRun(context.store.list().runs, name, context).runId;
  } catch (error) {
    if (error instanceof HoldfastError) return null;
    throw error;
  }
}
