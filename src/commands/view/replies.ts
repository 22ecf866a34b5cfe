import { contextActionText, stepStatus } from '../../guidance/step.ts';
import { failureText, pivotBlocker, pivotWarning, skippedText } from '../../guidance/frame.ts';
import { readingOf } from '../../guidance/reading/required-reading.ts';
import type { Delivery, DueArtifacts } from '../../runs/move-run.ts';
import { END_TURN } from '../../templates/next.ts';
import { mustEndTurn, contextActionOf } from '../../templates/run-view.ts';
import type { OperationContext } from '../../sessions/open-project.ts';
import { dueArtifacts, holderOf, isHeldByLiveSession } from '../../sessions/holder.ts';
import type { StoredRun } from '../../state/types.ts';
import type { ContextCommand } from '../../templates/machine/machine-state.ts';
import { shortId } from '../../text/sanitize.ts';

/** The run after a change, which `lead` describes; or the context action that the user has to type first. */
export function runReply(
  context: OperationContext,
  { run, action, artifacts = null }: Delivery & { artifacts?: DueArtifacts | null },
  lead: string,
): object {
  const due = artifacts === null || artifacts.text === '' ? {} : { artifacts: artifacts.text };
  if (mustEndTurn(context.environment, run)) return { message: `${lead} ${END_TURN}`, ...due };
  if (action !== null) return { ...contextReply(action), ...due };
  const isOver = run.state.status === 'completed';
  const whose = run.state.ended_early === undefined ? ' The workflow is complete; its' : ' Its';
  const end = isOver ? `${whose} record is in ${run.path}.` : '';
  return { message: `${lead}${end}`, ...reportOf(context, run), ...due };
}

/** The run as shown to a session that may not be its holder. */
export function statusReply(
  context: OperationContext,
  { run, action }: Delivery,
  others: readonly StoredRun[],
): object {
  if (mustEndTurn(context.environment, run)) return { message: END_TURN };
  if (action !== null) return contextReply(action);
  const report = reportOf(context, run);
  const holder = holderOf(run.state);
  if (context.session === null || holder === context.session) return report;
  const isHeld = isHeldByLiveSession(run, context);
  return {
    message: isHeld
      ? `This session does not hold this run, session ${shortId(holder ?? '')} does. Start another with workflow_start.`
      : `This session does not hold this run, nobody does. Continue it with \`holdfast resume ${run.runId}\`, or start another with workflow_start.`,
    ...report,
    ...(others.length === 0 ? {} : { others: others.map(({ runId }) => runId) }),
  };
}

const contextReply = (command: ContextCommand): object => ({
  contextAction: command,
  message:
    `Please run \`${command}\` first, then call workflow_status again. Only the user can type it: ask for it and ` +
    'end your turn. This is requested only once: if no user answers, call workflow_status, which then returns the instructions.',
});

/** What is undefined is left out of the JSON. */
function reportOf(context: OperationContext, run: StoredRun): object {
  const { runId, state } = run;
  const { status = 'in_progress', status_reason: reason, phase, phases } = state;
  const due = dueArtifacts(state);
  const action = contextActionOf(state);
  const reading = readingOf(context, run);
  const reminders = state.key_reminders ?? [];
  return {
    // A run without a template has phases but no instructions.
    ...(stepStatus(state) ?? { status, reason, phase, phases }),
    run: runId,
    workflow: state.workflow,
    failure: failureText(state) ?? undefined,
    blocked: pivotBlocker(state) ?? undefined,
    skipped: skippedText(state) || undefined,
    context: action === null ? undefined : contextActionText(action),
    warning: pivotWarning(state) ?? undefined,
    // What the session was not given, because it has not moved the run here itself.
    artifacts:
      due.length === 0
        ? undefined
        : `Due at this step, to be loaded with prime_context: ${due.join(', ')}`,
    requiredReading: reading.length === 0 ? undefined : reading,
    keyReminders: reminders.length === 0 ? undefined : reminders,
  };
}
