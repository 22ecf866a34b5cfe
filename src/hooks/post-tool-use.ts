import { existsSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { canonicalPath, isInside } from '../files/environment.ts';
import { readProjectFile } from '../files/read-file.ts';
import { artifactFiles } from '../guidance/artifacts/declared.ts';
import {
  isCovered,
  parsePendingReads,
  savePendingReads,
  withRange,
  type LineRange,
} from '../guidance/reading/pending-reads.ts';
import { MAX_READ_BYTES, requiredPaths } from '../guidance/reading/reading-list.ts';
import { recordAdded } from '../sessions/context-record.ts';
import { holderOf } from '../sessions/holder.ts';
import type { Transaction } from '../state/store/store.ts';
import type { StoredRun } from '../state/types.ts';
import { digestOf } from '../text/digest.ts';
import { isObject, type JsonObject } from '../text/json.ts';
import { touchSession, type HookContext, stringField, type Reply } from './context.ts';

/**
 * Records that the session read a required file or a critical artifact, with the digest of the content. A file counts as
 * read once the session has read all of it, at once or in parts.
 */
export function postToolUse(context: HookContext): Reply {
  const { input, root, store, now } = context;
  const { session, raw } = input;
  const { tool_name: tool, tool_input: call } = raw;
  const path = tool === 'Read' && isObject(call) ? stringField(call, 'file_path') : null;
  if (path === null || session === null) return null;
  const { runs } = store.list();
  touchSession(context, runs);
  const file = canonicalPath(root, fromProject(root, path));
  const idsIn = (run: StoredRun): string[] =>
    holderOf(run.state) === session ? idsOf(run, file, context) : [];
  const concerned = runs.filter((run) => idsIn(run).length > 0);
  if (concerned.length === 0) return null;
  const reading = readProjectFile(root, file, MAX_READ_BYTES);
  if (reading.kind !== 'text') return null;
  const content = reading.text;
  const shown = shownLines(raw, content);
  if (shown === 'unknown') return null;
  store.transaction((tx) => {
    if (shown !== 'all' && !completesFile(tx, session, `@${file}`, content, shown, now)) return;
    for (const run of concerned.flatMap((listed) => tx.reread(listed) ?? [])) {
      const read = idsIn(run).map((id) => ({ id, content, trigger: 'read' }));
      if (read.length === 0) continue;
      const state = recordAdded(run.state, read, now);
      tx.write(run, state, { event: 'read', file, session_id: session });
    }
  });
  return null;
}

/** The ids of this file in the run: as required reading, as a critical artifact, or both. */
function idsOf(run: StoredRun, file: string, context: HookContext): string[] {
  const canonical = (given: string): string => canonicalPath(context.root, given);
  const artifacts = artifactFiles(run, context).filter(({ path }) => path === file);
  return [
    ...requiredPaths(run.state, { canonical }).filter((entry) => entry === `@${file}`),
    ...artifacts.map(({ id }) => id),
  ];
}

/** The project may have been opened through a link, and the host may name the file by its real path, or the reverse. */
function fromProject(root: string, path: string): string {
  if (isInside(root, path) || !existsSync(path)) return path;
  return relative(realpathSync.native(root), realpathSync.native(path));
}

interface Part {
  range: LineRange;
  lines: number;
}

/** Records the part, and returns whether the parts now cover the whole pending file. */
function completesFile(
  tx: Transaction,
  session: string,
  path: string,
  content: string,
  { range, lines }: Part,
  now: Date,
): boolean {
  const pending = parsePendingReads(tx.hookState.receipts[session]);
  if (pending?.owed.includes(path) !== true) return false;
  const next = withRange(pending, path, digestOf(content), range);
  savePendingReads(tx, session, next, now.getTime());
  return isCovered(next, path, lines);
}

/**
 * Which lines of the file the call has shown, as far as that can be told. `file_unchanged`, the answer to a repeated
 * Read, says nothing about which lines were read before; a call with an offset or a limit does not read the whole file.
 */
function shownLines(
  { tool_input: call, tool_response: response }: JsonObject,
  content: string,
): Part | 'all' | 'unknown' {
  if (!isObject(response)) return 'all';
  if (response['type'] === 'file_unchanged') return 'unknown';
  const { startLine, numLines, totalLines } = isObject(response['file']) ? response['file'] : {};
  const { offset, limit } = isObject(call) ? call : {};
  if (typeof numLines !== 'number')
    return offset === undefined && limit === undefined ? 'all' : 'unknown';
  if (typeof totalLines !== 'number') return 'all';
  const from = typeof startLine === 'number' ? startLine : 1;
  // The client counts the empty line after a final newline, but a Read that ends before it has shown everything.
  const countsEmptyLine = content.endsWith('\n') && totalLines === content.split('\n').length;
  const lines = countsEmptyLine ? totalLines - 1 : totalLines;
  return from <= 1 && numLines >= lines ? 'all' : { range: [from, from + numLines - 1], lines };
}
