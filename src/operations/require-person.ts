import { HoldfastError } from '../errors/holdfast-error.ts';
import type { OperationContext } from './open-project.ts';

/** Whether an agent makes this call: the environment shows it, or a session was named. */
export function isRunByAgent({
  session,
  environment,
}: Pick<OperationContext, 'session' | 'environment'>): boolean {
  const { CLAUDECODE = '', CLAUDE_CODE_SESSION_ID = '' } = environment;
  return session !== null || CLAUDECODE !== '' || CLAUDE_CODE_SESSION_ID !== '';
}

/** An approval that the agent could give to itself would be none. */
export function requirePerson(context: OperationContext, command: 'approve' | 'reject'): void {
  if (isRunByAgent(context)) throw new HoldfastError({ code: 'approval_from_agent', command });
}
