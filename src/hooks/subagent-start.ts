import { fitLists, joined, oneLine, phaseLines, type LineList } from '../guidance/frame.ts';
import { noteText, notesOf } from '../state/notes.ts';
import type { RunState } from '../state/types.ts';
import {
  contextReply,
  heldRun,
  once,
  stringField,
  type HookContext,
  type Reply,
} from './context.ts';

/** A sub-agent gets nothing of the conversation but its task. The summariser of a compaction is one without a type. */
export function subagentStart(context: HookContext): Reply {
  const { input, store, settings } = context;
  const { session, event, raw } = input;
  if (session === null || settings.subagents === 'off' || stringField(raw, 'agent_type') === null)
    return null;
  const run = heldRun(store.list().runs, session);
  if (run === undefined) return null;
  return once(context, () => contextReply(event, [subagentBrief(run.state)]));
}

const MAX_CHARACTERS = 1_500;
const MAX_ENTRY = 300;

/** What a sub-agent has to know of the run that its session works on. */
function subagentBrief(state: RunState): string {
  const head = [
    'THE WORKFLOW THAT THIS TASK IS PART OF',
    '',
    `Workflow: ${oneLine(state.workflow)}`,
    ...phaseLines(state).map((line) => oneLine(line, MAX_ENTRY)),
    'The session that gave the task moves the workflow: leave `holdfast advance` to it.',
  ].join('\n');
  const list = (title: string, entries: readonly string[]): LineList => ({
    title,
    lines: entries.map((entry) => `- ${oneLine(entry, MAX_ENTRY)}`),
    share: 350,
    shownBy: 'holdfast status',
  });
  const { fitted } = fitLists(
    [
      list('Key Reminders', state.key_reminders ?? []),
      list('Decisions and dead ends', notesOf(state).map(noteText)),
      list('Files that govern the work; read those that the task touches', state.required_reading),
    ],
    MAX_CHARACTERS - head.length,
  );
  return joined([{ text: head }, ...fitted.filter((section) => section !== null)]);
}
