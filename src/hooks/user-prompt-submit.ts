import { readingList, unreportedChanges } from '../reading/reading-list.ts';
import { projectFiles } from '../reading/project-files.ts';
import { recordCall, clearDue } from '../state/store/hook-memory.ts';
import { isObject } from '../util/json.ts';
import type { StoredRun } from '../state/types.ts';
import type { Reply } from './protocol.ts';
import { remindOfReading } from './reading-reminder.ts';
import { restore } from './session-start.ts';
import { callKey, detectAndSync, heldRun, touchSession, type HookContext } from './context.ts';

/** The second chance for guidance that a compaction never brought, given once; else a word about required files. */
export function userPromptSubmit(around: HookContext): Reply {
  const { store, input } = around;
  const { session } = input;
  if (session === null) return null;
  const { due, receipts } = store.hookMemory();
  if (due[session] === undefined) {
    const { runs: listed } = store.list();
    touchSession(around, listed);
    const run = heldRun(listed, session);
    return run !== undefined && hasNews(around, run, receipts[session])
      ? remindOfReading(around)
      : null;
  }
  const { runs, sources } = detectAndSync(around);
  return store.transaction((tx) => {
    if (tx.hookMemory.due[session] === undefined) return null;
    const reply = restore(around, tx, {
      runs,
      sourcesOf: () => sources,
      source: 'compact',
      isBelated: true,
    });
    // The note about what is unread waits for the next prompt, also where this hook is installed twice.
    const memory = recordCall(tx.hookMemory, callKey(around), around.now.getTime());
    tx.keepHookMemory(clearDue(memory, session));
    return reply;
  });
}

/** Whether a word about required files may be due: most prompts get none, and cost no more than this. */
function hasNews({ root, settings }: HookContext, { state }: StoredRun, receipt: unknown): boolean {
  if (settings.reading.enforce === 'off' || state.required_reading.length === 0) return false;
  const reading = readingList(state, projectFiles(root));
  return (
    unreportedChanges(state, reading).length > 0 ||
    (isObject(receipt) &&
      receipt['reminded'] !== true &&
      reading.some((entry) => entry.state === 'unread'))
  );
}
