import { readingList, untoldChanges } from '../guidance/reading-list.ts';
import { projectFiles } from '../io/file-facts.ts';
import { withCall, withoutDue } from '../sessions/hook-memory.ts';
import { isObject } from '../state/json.ts';
import type { StoredRun } from '../state/types.ts';
import type { Reply } from './protocol.ts';
import { readingRoom } from './reading-room.ts';
import { restore } from './session-start.ts';
import { callKey, detect, heldRun, keepSeen, type Surroundings } from './surroundings.ts';

/** The second chance for guidance that a compaction never brought, given once; else a word about required files. */
export function userPromptSubmit(around: Surroundings): Reply {
  const { store, input } = around;
  const { session } = input;
  if (session === null) return null;
  const { due, receipts } = store.hookMemory();
  if (due[session] === undefined) {
    const { runs: listed } = store.list();
    keepSeen(around, listed);
    const run = heldRun(listed, session);
    return run !== undefined && hasNews(around, run, receipts[session])
      ? (readingRoom()?.readingNote(around) ?? null)
      : null;
  }
  const { runs, sources } = detect(around);
  return store.transaction((tx) => {
    if (tx.hookMemory.due[session] === undefined) return null;
    const reply = restore(around, tx, {
      runs,
      sourcesOf: () => sources,
      source: 'compact',
      isBelated: true,
    });
    // The note about what is unread waits for the next prompt, also where this hook is installed twice.
    const memory = withCall(tx.hookMemory, callKey(around), around.now.getTime());
    tx.keepHookMemory(withoutDue(memory, session));
    return reply;
  });
}

/** Whether a word about required files may be due: most prompts get none, and cost no more than this. */
function hasNews(
  { root, settings }: Surroundings,
  { state }: StoredRun,
  receipt: unknown,
): boolean {
  if (settings.reading.enforce === 'off' || state.required_reading.length === 0) return false;
  const reading = readingList(state, projectFiles(root));
  return (
    untoldChanges(state, reading).length > 0 ||
    (isObject(receipt) &&
      receipt.reminded !== true &&
      reading.some((entry) => entry.state === 'unread'))
  );
}
