import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { unlessRefused } from '../files/read-file.ts';
import { parseJson, isObject, type JsonObject } from '../text/json.ts';

const MAX_BYTES = 8_000_000;
const CHUNK_BYTES = 1_000_000;
/** A single longer line is skipped: it is the content of some file, and parsing it would cost more than it tells. */
const MAX_LINE_BYTES = 2_000_000;

/** A tool call of the conversation itself that was neither denied nor failed. */
export interface ToolCall {
  name: string;
  input: JsonObject;
  /** When it was made, if the transcript says so. */
  at?: string;
}

/**
 * The tool calls of a conversation, the latest first, from at most the last 8 MB of its transcript. Null if there is no
 * file to read. `isOverdue` ends the reading early: whatever was found by then has to do. With `words`, only the calls
 * that contain one of them are parsed, so that thousands of others cost little.
 */
export function readToolCalls(
  path: string,
  isOverdue: () => boolean,
  words?: readonly string[],
): Generator<ToolCall, void> | null {
  const size = transcriptSize(path);
  if (size === null) return null;
  return callsFromEnd(path, size, isOverdue, lineTest(words));
}

/** Characters outside ASCII may be escaped in JSON, so a word with one of them is looked for as an escape, too. */
function lineTest(words: readonly string[] | undefined): (line: string) => boolean {
  if (words === undefined) return () => true;
  const wanted = new Set(words);
  if (words.some((word) => /[^ -~]|["\\]/.test(word))) wanted.add('\\');
  return (line) => [...wanted].some((word) => line.includes(word));
}

/** Checked before it is opened: opening a FIFO would wait for a writer for ever. */
function transcriptSize(path: string): number | null {
  // A path that cannot be looked at (not permitted, too long, through a file) is a transcript that is not there.
  const stat = unlessRefused(() => statSync(path));
  return stat?.isFile() === true ? stat.size : null;
}

function* callsFromEnd(
  path: string,
  size: number,
  isOverdue: () => boolean,
  isWanted: (line: string) => boolean,
): Generator<ToolCall, void> {
  const failed = new Set<string>();
  for (const line of linesFromEnd(path, size, isOverdue)) {
    if (!isFailure(line) && !(line.includes('"tool_use"') && isWanted(line))) continue;
    const { calls, failures } = parseTranscriptLine(line);
    for (const id of failures) failed.add(id);
    for (const { id, call } of calls.toReversed()) if (!failed.has(id)) yield call;
  }
}

/** Most lines are texts and results. Parsing them all would take a second where this takes milliseconds. */
function isFailure(line: string): boolean {
  return line.includes('"tool_result"') && /"is_error"\s*:\s*true/.test(line);
}

interface TranscriptLine {
  calls: { id: string; call: ToolCall }[];
  /** Ids of calls that were denied or failed. */
  failures: string[];
}

/** A broken line, or one of a sub-agent, tells nothing. */
function parseTranscriptLine(line: string): TranscriptLine {
  const record = parseObject(line);
  const nothing: TranscriptLine = { calls: [], failures: [] };
  if (record === null || record['isSidechain'] === true) return nothing;
  if ((record['parent_tool_use_id'] ?? null) !== null) return nothing;
  const message = record['message'];
  const content = isObject(message) ? message['content'] : undefined;
  if (!Array.isArray(content)) return nothing;
  const blocks: unknown[] = content;
  if (record['type'] === 'assistant')
    return { calls: blocks.flatMap((block) => toolUse(block, record['timestamp'])), failures: [] };
  return record['type'] === 'user'
    ? { calls: [], failures: blocks.flatMap((block) => failedCall(block)) }
    : nothing;
}

function toolUse(block: unknown, at: unknown): TranscriptLine['calls'] {
  if (!isObject(block) || block['type'] !== 'tool_use') return [];
  const { id, name, input } = block;
  if (typeof name !== 'string' || !isObject(input)) return [];
  const call = { name, input, ...(typeof at === 'string' ? { at } : {}) };
  return [{ id: typeof id === 'string' ? id : '', call }];
}

function failedCall(block: unknown): string[] {
  if (!isObject(block) || block['type'] !== 'tool_result' || block['is_error'] !== true) return [];
  const id = block['tool_use_id'];
  return typeof id === 'string' && id !== '' ? [id] : [];
}

function parseObject(line: string): JsonObject | null {
  const json = parseJson(line);
  return isObject(json) ? json : null;
}

function* linesFromEnd(
  path: string,
  size: number,
  isOverdue: () => boolean,
): Generator<string, void> {
  const file = openSync(path, 'r');
  try {
    const start = Math.max(0, size - MAX_BYTES);
    /** The parts of the line whose beginning has not been read yet, the last part first. */
    let parts: Buffer[] = [];
    let length = 0;
    for (let end = size; end > start && !isOverdue();) {
      const from = Math.max(start, end - CHUNK_BYTES);
      const chunk = Buffer.alloc(end - from);
      const read = readSync(file, chunk, 0, chunk.length, from);
      end = from;
      let lineEnd = read;
      for (let at = chunk.lastIndexOf(10, lineEnd - 1); at >= 0;) {
        parts.push(chunk.subarray(at + 1, lineEnd));
        length += lineEnd - at - 1;
        if (length > 0 && length <= MAX_LINE_BYTES) yield joined(parts);
        parts = [];
        length = 0;
        lineEnd = at;
        at = lineEnd === 0 ? -1 : chunk.lastIndexOf(10, lineEnd - 1);
      }
      length += lineEnd;
      // Of a line that is too long only the length is remembered.
      if (length <= MAX_LINE_BYTES) parts.push(chunk.subarray(0, lineEnd));
      else parts = [];
    }
    if (start === 0 && length > 0 && length <= MAX_LINE_BYTES) yield joined(parts);
  } finally {
    closeSync(file);
  }
}

function joined(parts: readonly Buffer[]): string {
  return Buffer.concat(parts.toReversed()).toString('utf8');
}
