import { subagentBrief } from '../guidance/subagent-brief.ts';
import { resolveSession } from '../sessions/holder.ts';
import { contextReply, heldRun, stringField, type HookContext, type Reply } from './context.ts';

/** A sub-agent gets nothing of the conversation but its task. The summariser of a compaction is one without a type. */
export function subagentStart({ input, store, settings }: HookContext): Reply {
  const { session, event, raw } = input;
  if (session === null || settings.subagents === 'off' || stringField(raw, 'agent_type') === null)
    return null;
  const { runs } = store.list();
  const run = heldRun(runs, resolveSession(session, runs));
  return run === undefined ? null : contextReply(event, [subagentBrief(run.state)]);
}
