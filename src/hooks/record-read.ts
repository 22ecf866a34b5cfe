import { digestOf } from '../io/digest.ts';
import { readProjectFile } from '../io/read-file.ts';
import { recordAdded } from '../sessions/context-record.ts';
import { isCovered } from '../reading/line-ranges.ts';
import { parsePendingReads, withRange, setPendingReads } from '../reading/pending-reads.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import type { HookContext } from './context.ts';

const MAX_BYTES = 1_000_000;

/** A file counts as read once the session has read all of it, at once or in parts. */
export function recordRead(
  { input, root, store, now }: HookContext,
  file: string,
  concerned: readonly StoredRun[],
  idsIn: (run: StoredRun) => string[],
): void {
  const { session, raw } = input;
  const part = readRange(raw);
  if (session === null) return;
  if (part !== null && parsePendingReads(store.hookMemory().receipts[session]) === null) return;
  const reading = readProjectFile(root, file, MAX_BYTES);
  if (reading.kind !== 'text') return;
  const content = reading.text;
  store.transaction((tx) => {
    if (part !== null && !completesFile(tx, session, `@${file}`, content, part, now.getTime()))
      return;
    for (const run of concerned.flatMap((listed) => tx.reread(listed) ?? [])) {
      const read = idsIn(run).map((id) => ({ id, content, trigger: 'read' }));
      if (read.length > 0) tx.write(run, recordAdded(run.state, read, now));
    }
  });
}

interface Part {
  from: number;
  to: number;
  lines: number;
}

/** Records the part, and returns whether the parts now cover the whole pending file. */
function completesFile(
  tx: Transaction,
  session: string,
  path: string,
  content: string,
  { from, to, lines }: Part,
  now: number,
): boolean {
  const { receipts } = tx.hookMemory;
  const pending = parsePendingReads(receipts[session]);
  if (pending?.owed.includes(path) !== true) return false;
  const next = withRange(pending, path, { from, to, digest: digestOf(content) });
  tx.keepHookMemory({ ...tx.hookMemory, receipts: setPendingReads(receipts, session, next, now) });
  const parts = next.parts[path];
  return parts !== undefined && isCovered(parts, lines);
}

/** Null if the whole file was read. */
function readRange({ tool_response: response }: JsonObject): Part | null {
  const { startLine, numLines, totalLines } =
    isObject(response) && isObject(response['file']) ? response['file'] : {};
  if (typeof numLines !== 'number' || typeof totalLines !== 'number') return null;
  const from = typeof startLine === 'number' ? startLine : 1;
  if (from <= 1 && numLines >= totalLines) return null;
  return { from, to: from + numLines - 1, lines: totalLines };
}
