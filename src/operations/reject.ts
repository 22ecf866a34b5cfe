import type { OperationContext } from './open-project.ts';
import { sendBack, type Pivoted } from './pivot.ts';
import { requirePerson } from './require-person.ts';

/** The user sends the work of an approval step back with feedback, to the step that its template names. */
export function rejectRun(
  context: OperationContext,
  name: string | undefined,
  feedback: string,
): Pivoted {
  requirePerson(context, 'reject', name);
  return sendBack(context, name, feedback, { command: 'reject', event: 'rejected' });
}
