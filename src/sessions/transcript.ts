import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { realPath } from '../files/environment.ts';
import { namesIfReadable, readEnd, unlessRefused } from '../files/read-file.ts';
import { isObject, type JsonObject, parseJson } from '../text/json.ts';
import { isPlainId } from '../text/sanitize.ts';

/** A conversation may be much longer: what it did before that says little about what it does now. */
const MAX_BYTES = 8_000_000;
/** A single longer line is skipped: it is the content of some file, and parsing it would cost more than it tells. */
const MAX_LINE_CHARS = 2_000_000;

/** A tool call of the conversation itself that was neither denied nor failed. */
export interface ToolCall {
  name: string;
  input: JsonObject;
  /** The time of the call, as the transcript has it. */
  at?: string;
}

/**
 * The tool calls of a conversation, the latest first, from at most the last 8 MB of its transcript. Null if there is no
 * file to read. `isOverdue` ends the reading early: whatever was found by then has to do.
 */
export function readToolCalls(
  path: string,
  isOverdue: () => boolean,
): Generator<ToolCall, void> | null {
  // A path that cannot be looked at (not permitted, too long, through a file) is a transcript that is not there.
  const lines = unlessRefused(() => readEnd(path, MAX_BYTES));
  return lines === null ? null : callsFromEnd(lines, isOverdue);
}

function* callsFromEnd(
  lines: readonly string[],
  isOverdue: () => boolean,
): Generator<ToolCall, void> {
  // From the end, so the result of a call comes before the call.
  const failed = new Set<unknown>();
  for (const line of lines.toReversed()) {
    if (isOverdue()) return;
    if (line.length > MAX_LINE_CHARS || !isWorthParsing(line)) continue;

    const record = parseJson(line);
    const time = isObject(record) ? record['timestamp'] : undefined;
    for (const block of blocksOf(record)) {
      const { type, name, input, id } = block;
      if (type === 'tool_result') {
        if (block['is_error'] === true) failed.add(block['tool_use_id']);
        continue;
      }
      if (typeof name !== 'string' || !isObject(input)) continue;
      if (failed.has(id)) continue;
      const call: ToolCall = { name, input };
      if (typeof time === 'string') call.at = time;
      yield call;
    }
  }
}

const WRITING_TOOLS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);

/** The file that the call has written, as the client names it; null for any other call. */
export function writtenPath({
  name,
  input,
}: Pick<ToolCall, 'name' | 'input'>): string | null {
  const path = input['file_path'] ?? input['notebook_path'];
  return WRITING_TOOLS.has(name) && typeof path === 'string' ? path : null;
}

/**
 * What a conversation was shown, the latest first, from at most the last 8 MB of its transcript: calls, their results,
 * what the client attached, and where it was compacted. Null if there is no file to read.
 */
export function readRecords(path: string): Iterable<JsonObject> | null {
  const lines = unlessRefused(() => readEnd(path, MAX_BYTES));
  return lines === null ? null : recordsFromEnd(lines);
}

const SHOWS_SOMETHING =
  /"(?:tool_use|tool_result|attachment|compact_boundary)"/;

function* recordsFromEnd(lines: readonly string[]): Generator<JsonObject> {
  for (const line of lines.toReversed()) {
    if (line.length > MAX_LINE_CHARS || !SHOWS_SOMETHING.test(line)) continue;
    const record = parseJson(line);
    if (isObject(record)) yield record;
  }
}

/** Whether SessionStart has given a text with these words that nobody has answered yet: the next request has it, too. */
export function isUnanswered(path: string, words: string): boolean {
  const lines = unlessRefused(() => readEnd(path, MAX_BYTES)) ?? [];
  for (const line of lines.toReversed()) {
    if (line.length > MAX_LINE_CHARS) continue;
    const isText = line.includes(words) && line.includes('"attachment"');
    if (!isText && !line.includes('"assistant"')) continue;
    const record = parseJson(line);
    if (!isObject(record) || record['isSidechain'] === true) continue;
    if (record['type'] === 'assistant') return false;
    const { attachment } = record;
    if (
      isText &&
      isObject(attachment) &&
      attachment['hookEvent'] === 'SessionStart'
    )
      return true;
  }
  return false;
}

/** Results may be long, and only those of failed calls tell something. */
function isWorthParsing(line: string): boolean {
  if (line.includes('"tool_use"')) return true;
  return line.includes('"tool_result"') && /"is_error"\s*:\s*true/.test(line);
}

/** The calls of the assistant or the results of the user, the last first; none of a sub-agent or of a broken line. */
function blocksOf(record: unknown): JsonObject[] {
  if (!isObject(record)) return [];
  const { type, message } = record;
  const isOfSubAgent =
    record['isSidechain'] === true ||
    (record['parent_tool_use_id'] ?? null) !== null;
  const content: unknown = isObject(message) ? message['content'] : null;
  if (isOfSubAgent || !Array.isArray(content)) return [];

  const wanted = typeof type === 'string' ? BLOCK_OF[type] : undefined;
  if (wanted === undefined) return [];
  const isWanted = (block: unknown): block is JsonObject =>
    isObject(block) && block['type'] === wanted;
  return content.filter(isWanted).toReversed();
}

/** Which blocks of a record count, by who speaks in it. */
const BLOCK_OF: Partial<Record<string, string>> = {
  assistant: 'tool_use',
  user: 'tool_result',
};

/**
 * When the user typed the first prompt after this time, as the transcript has it; null if they typed none. What a schedule,
 * a notification or a module submits is no prompt of theirs.
 */
export function firstTypedPrompt(
  path: string,
  after: number,
  isOverdue: () => boolean,
): string | null {
  const lines = unlessRefused(() => readEnd(path, MAX_BYTES)) ?? [];
  let first: string | null = null;
  for (const line of lines.toReversed()) {
    if (isOverdue()) break;
    if (line.length > MAX_LINE_CHARS || !PROMPT_LINE.test(line)) continue;
    const record = parseJson(line);
    if (!isObject(record) || !isTypedPrompt(record)) continue;
    const { timestamp } = record;
    if (typeof timestamp !== 'string') continue;
    if (!(Date.parse(timestamp) > after)) break;
    first = timestamp;
  }
  return first;
}

/** A line that may be a prompt, of which few are: most lines need not be parsed. */
const PROMPT_LINE = /"promptSource"|"origin"|"humanTurn"/;

/** `sdk` is a prompt that somebody gave to `claude -p`. What is typed during a turn is attached to that turn. */
function isTypedPrompt({
  type,
  isMeta,
  origin,
  promptSource,
  attachment,
}: JsonObject): boolean {
  if (type === 'attachment')
    return isObject(attachment) && attachment['humanTurn'] === true;
  if (type !== 'user' || isMeta === true) return false;
  const isByHuman = isObject(origin) && origin['kind'] === 'human';
  return isByHuman || promptSource === 'typed' || promptSource === 'sdk';
}

/** Folders of projects in which a transcript is looked for. */
const MAX_FOLDERS = 2_000;

/** For commands: hooks are told its path. The client keeps one folder for each folder that it was launched in. */
export function findTranscript(
  config: string,
  session: string,
  root: string,
): string | null {
  if (!isPlainId(session)) return null;
  const projects = join(config, 'projects');
  const expected = realPath(root).replace(/[^A-Za-z0-9]/g, '-');
  const folders = [
    expected,
    ...namesIfReadable(projects).slice(0, MAX_FOLDERS),
  ];
  const paths = folders.map((name) => join(projects, name, `${session}.jsonl`));
  return paths.find((path) => existsSync(path)) ?? null;
}
