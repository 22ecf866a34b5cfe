import { heldRun } from '../sessions/holder.ts';
import { type HookContext, type Reply, stringField } from './context.ts';

/** What a person decides, by its whole name in the client. */
const DECISION = /^holdfast:(approve|reject|trust)$/;
/** No template has to be quoted to be named; whatever else was typed does not belong into a command that is proposed. */
const TEMPLATE = /^[\w./-]{1,200}$/;

/**
 * A slash command that no module has carried out: there is none, or its secret is not known. What an agent, a schedule or
 * a program sends looks the same here as what a person has typed, so this only says what to type in a terminal.
 */
export function userPromptExpansion(context: HookContext): Reply {
  const [, verb] =
    DECISION.exec(stringField(context.raw, 'command_name') ?? '') ?? [];
  if (verb === undefined) return null;
  const line = lineFor(context, verb);
  const stopReason = `Nothing was changed: only a terminal can take this here. Open one in this folder and type \`${line}\``;
  return JSON.stringify({ continue: false, stopReason });
}

function lineFor({ raw, store, session }: HookContext, verb: string): string {
  if (verb === 'trust') {
    const typed = stringField(raw, 'command_args')?.trim() ?? '';
    return `holdfast trust ${TEMPLATE.test(typed) ? typed : '<template>'}`;
  }
  const run =
    session === null ? undefined : heldRun(store.list().runs, session);
  const named = `holdfast ${verb} ${run?.runId ?? '<run>'}`;
  return verb === 'reject' ? `${named} --feedback "…"` : named;
}
