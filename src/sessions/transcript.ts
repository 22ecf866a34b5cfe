import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realPath } from '../files/environment.ts';
import { namesIfReadable, readEnd, unlessRefused } from '../files/read-file.ts';
import { parseJson, isObject, type JsonObject } from '../text/json.ts';
import { isPlainId } from '../text/sanitize.ts';

const MAX_BYTES = 8_000_000;
/** A single longer line is skipped: it is the content of some file, and parsing it would cost more than it tells. */
const MAX_LINE = 2_000_000;

/** A tool call of the conversation itself that was neither denied nor failed. */
export type ToolCall = { name: string; input: JsonObject; at?: string };

/**
 * The tool calls of a conversation, the latest first, from at most the last 8 MB of its transcript. Null if there is no
 * file to read. `isOverdue` ends the reading early: whatever was found by then has to do. With `words`, only the calls
 * that contain one of them are parsed, so that thousands of others cost little.
 */
export function readToolCalls(
  path: string,
  isOverdue: () => boolean,
  words: readonly string[] = [''],
): Generator<ToolCall, void> | null {
  // A path that cannot be looked at (not permitted, too long, through a file) is a transcript that is not there.
  const lines = unlessRefused(() => readEnd(path, MAX_BYTES));
  // Characters outside ASCII may be escaped in JSON, so a word with one of them is looked for as an escape, too.
  const wanted = words.some((word) => /[^ -~]|["\\]/.test(word)) ? [...words, '\\'] : words;
  return lines === null ? null : callsFromEnd(lines, isOverdue, wanted);
}

function* callsFromEnd(
  lines: readonly string[],
  isOverdue: () => boolean,
  wanted: readonly string[],
): Generator<ToolCall, void> {
  const failed = new Set<unknown>();
  for (const line of lines.toReversed()) {
    if (isOverdue()) return;
    if (line.length > MAX_LINE) continue;
    // Most lines are texts and results. Parsing them all would take a second where this takes milliseconds.
    const isFailure = line.includes('"tool_result"') && /"is_error"\s*:\s*true/.test(line);
    const isCall = line.includes('"tool_use"') && wanted.some((word) => line.includes(word));
    const record = isFailure || isCall ? parseJson(line) : null;
    for (const { type, name, input, id, is_error: isError, ...block } of blocksOf(record)) {
      if (type === 'tool_result' && isError === true) failed.add(block['tool_use_id']);
      if (type === 'tool_use' && typeof name === 'string' && isObject(input) && !failed.has(id))
        yield { name, input, ...(typeof block['at'] === 'string' ? { at: block['at'] } : {}) };
    }
  }
}

/** The calls of the assistant and the results of the user, the last first; none of a sub-agent or of a broken line. */
function blocksOf(record: unknown): JsonObject[] {
  if (!isObject(record) || record['isSidechain'] === true) return [];
  const { type, message, parent_tool_use_id: parent = null, timestamp } = record;
  const content: unknown = isObject(message) ? message['content'] : null;
  const wanted = type === 'assistant' ? 'tool_use' : type === 'user' ? 'tool_result' : null;
  if (parent !== null || !Array.isArray(content)) return [];
  return content
    .filter((block: unknown): block is JsonObject => isObject(block) && block['type'] === wanted)
    .map((block) => ({ ...block, at: timestamp }))
    .toReversed();
}

const MAX_FOLDERS = 2_000;

/** For commands: hooks are told its path. The client keeps one folder for each folder that it was launched in. */
export function findTranscript(config: string, session: string, root: string): string | null {
  if (!isPlainId(session)) return null;
  const projects = join(config, 'projects');
  const expected = realPath(root).replace(/[^A-Za-z0-9]/g, '-');
  const folders = [expected, ...namesIfReadable(projects).slice(0, MAX_FOLDERS)];
  const paths = folders.map((name) => join(projects, name, `${session}.jsonl`));
  return paths.find((path) => existsSync(path)) ?? null;
}
