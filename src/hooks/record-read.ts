import { digestOf } from '../text/digest.ts';
import { readProjectFile } from '../files/read-file.ts';
import { recordAdded } from '../sessions/context-record.ts';
import {
  MAX_READ_BYTES,
  parsePendingReads,
  withRange,
  setPendingReads,
} from '../guidance/reading/reading-list.ts';
import { isCovered } from '../guidance/reading/line-ranges.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import type { NewEvent } from '../state/journal.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import type { HookContext } from './context.ts';

/** A file counts as read once the session has read all of it, at once or in parts. */
export function recordRead(
  context: HookContext,
  file: string,
  concerned: readonly StoredRun[],
  idsIn: (run: StoredRun) => string[],
): void {
  const { input, root, store, now } = context;
  const { session, raw } = input;
  if (session === null || !showsContent(raw)) return;
  const reading = readProjectFile(root, file, MAX_READ_BYTES);
  if (reading.kind !== 'text') return;
  const content = reading.text;
  const part = readRange(raw, content);
  if (part !== null && parsePendingReads(store.hookState().receipts[session]) === null) return;
  store.transaction((tx) => {
    if (part !== null && !completesFile(tx, session, `@${file}`, content, part, now.getTime()))
      return;
    for (const run of concerned.flatMap((listed) => tx.reread(listed) ?? [])) {
      const read = idsIn(run).map((id) => ({ id, content, trigger: 'read' }));
      if (read.length === 0) continue;
      const event: NewEvent = { event: 'read', file, session_id: session };
      tx.write(run, recordAdded(run.state, read, now), event);
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
  const { receipts } = tx.hookState;
  const pending = parsePendingReads(receipts[session]);
  if (pending?.owed.includes(path) !== true) return false;
  const next = withRange(pending, path, { from, to, digest: digestOf(content) });
  tx.saveHookState({ ...tx.hookState, receipts: setPendingReads(receipts, session, next, now) });
  const parts = next.parts[path];
  return parts !== undefined && isCovered(parts, lines);
}

/**
 * Whether the call shows lines of the file that can be told. `file_unchanged`, the answer to a repeated Read, says
 * nothing about which lines were read before; a call with an offset or a limit does not read the whole file.
 */
function showsContent({ tool_input: input, tool_response: response }: JsonObject): boolean {
  if (!isObject(response)) return true;
  if (response['type'] === 'file_unchanged') return false;
  const { numLines } = isObject(response['file']) ? response['file'] : {};
  const { offset, limit } = isObject(input) ? input : {};
  return typeof numLines === 'number' || (offset === undefined && limit === undefined);
}

/** Null if the whole file was read. */
function readRange({ tool_response: response }: JsonObject, content: string): Part | null {
  const { startLine, numLines, totalLines } =
    isObject(response) && isObject(response['file']) ? response['file'] : {};
  if (typeof numLines !== 'number' || typeof totalLines !== 'number') return null;
  const from = typeof startLine === 'number' ? startLine : 1;
  const lines = linesToRead(totalLines, content);
  if (from <= 1 && numLines >= lines) return null;
  return { from, to: from + numLines - 1, lines };
}

/** The client counts the empty line after a final newline, but a Read that ends before it has shown everything. */
function linesToRead(totalLines: number, content: string): number {
  const countsEmptyLine = content.endsWith('\n') && totalLines === content.split('\n').length;
  return countsEmptyLine ? totalLines - 1 : totalLines;
}
