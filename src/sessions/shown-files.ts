import { basename } from 'node:path';
import { isObject, type JsonObject } from '../text/json.ts';
import { readRecords } from './transcript.ts';

/** A file of the project whose present content a conversation may show. */
export interface WantedFile {
  /** From the project root. */
  path: string;
  text: string;
}

/** `whole`: the file as it is now. `changed`: all of it, as it was before. */
export type Showing = 'whole' | 'changed';

/**
 * Which of the files a conversation shows, read from the end of its transcript back to the last compaction. A `/clear`
 * begins a transcript of its own. Files that are not shown whole are left out. `pathOf` turns a path of the client into
 * one from the project root. Null if the transcript cannot be read.
 *
 * Turns that the person took back by a rewind stay in the transcript and count, because parallel calls make it
 * impossible to tell them from others by their parents.
 */
export function filesShown(
  transcript: string,
  files: readonly WantedFile[],
  pathOf: (path: string) => string,
): Map<string, Showing> | null {
  const records = readRecords(transcript);
  if (records === null) return null;

  const context = recordsInContext(records);
  const calls = new Map(context.flatMap(callsOf));
  const tracked = new Map(files.map((file) => [file.path, new Tracked(file)]));
  for (const record of context) {
    for (const seen of seenIn(record, calls))
      if (seen.kind === 'printed')
        for (const file of tracked.values()) file.printed(seen);
      else tracked.get(pathOf(seen.path))?.see(seen);
  }

  const shown = new Map<string, Showing>();
  for (const [path, { showing }] of tracked)
    if (showing !== null) shown.set(path, showing);
  return shown;
}

/** What a record shows of files. */
type Seen =
  | { kind: 'content'; path: string; from: number; text: string; all: boolean }
  | { kind: 'edit'; path: string; edit: Edit }
  | Printed;

interface Printed {
  kind: 'printed';
  command: string;
  output: string;
}

interface Edit {
  old: string;
  new: string;
  isEverywhere: boolean;
  /** The whole file before the edit, where the client recorded it. */
  before: string | null;
}

/** One file, followed from the end of the conversation back. */
class Tracked {
  showing: Showing | null = null;
  readonly #name: string;
  /** What the file said at this point of the conversation; null where that is not known any more. */
  #lines: string[] | null;
  /** The lines of it that were shown, counted from 0. */
  #shown = new Set<number>();

  constructor({ path, text }: WantedFile) {
    this.#name = basename(path);
    this.#lines = linesOf(text);
  }

  see(seen: Exclude<Seen, Printed>): void {
    if (this.showing === 'whole') return;
    if (seen.kind === 'edit') this.#undo(seen.edit);
    else this.#showLines(seen.from - 1, linesOf(seen.text), seen.all);
  }

  /** A shell command that names the file and prints all of it, or writes all of it from a here-document. */
  printed({ command, output }: Printed): void {
    if (this.showing === 'whole' || !command.includes(this.#name)) return;
    const text = this.#lines?.join('\n').trim() ?? '';
    if (text === '') return;
    const isPrinted = plain(output).includes(text);
    if (isPrinted || plain(command).includes(text)) this.showing = 'whole';
  }

  #showLines(from: number, lines: readonly string[], isAll: boolean): void {
    const isSame = lines.every((line, at) => this.#lines?.[from + at] === line);
    if (isSame && this.#lines !== null) {
      for (const at of lines.keys()) this.#shown.add(from + at);
      // A part that ends in an empty line does not tell how many there were.
      const isCovered = this.#lines.every(
        (line, at) => line.trim() === '' || this.#shown.has(at),
      );
      if (isCovered) this.showing = 'whole';
    }
    if (isAll) this.showing ??= 'changed';
  }

  /** Before the edit, the file had the old text, and its lines had other numbers. */
  #undo(edit: Edit): void {
    const before =
      this.#lines === null ? null : textBefore(this.#lines.join('\n'), edit);
    this.#lines = before === null ? null : linesOf(before);
    this.#shown = new Set();
  }
}

/** What a text was before an edit; null if it does not come from that edit, or if several texts would give it. */
function textBefore(after: string, edit: Edit): string | null {
  const oldText = plain(edit.old);
  const newText = plain(edit.new);
  if (edit.before !== null) {
    const before = plain(edit.before);
    const result = edit.isEverywhere
      ? before.replaceAll(oldText, () => newText)
      : before.replace(oldText, () => newText);
    if (linesOf(result).join('\n') === after) return before;
  }
  // The client may have recorded a part of a long file only.
  const pieces = newText === '' ? [] : after.split(newText);
  return pieces.length === 2 ? pieces.join(oldText) : null;
}

/** The client shows line ends of Windows as those of Unix. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n');

/** Without the empty line after a final line end. */
const linesOf = (text: string): string[] =>
  plain(text).replace(/\n$/, '').split('\n');

/** The records since the last compaction, the latest first, with those that it kept as they were. */
function recordsInContext(records: Iterable<JsonObject>): JsonObject[] {
  const context: JsonObject[] = [];
  let kept: Set<unknown> | null = null;
  for (const record of records) {
    if (record['isSidechain'] === true) continue;
    const isBoundary = record['subtype'] === 'compact_boundary';
    if (isBoundary && kept !== null) break;
    if (isBoundary) kept = keptBy(record);
    else if (kept === null || kept.has(record['uuid'])) context.push(record);
  }
  return context;
}

/** The messages that stay in the conversation word for word. */
function keptBy({ compactMetadata: metadata }: JsonObject): Set<unknown> {
  const preserved = isObject(metadata) ? metadata['preservedMessages'] : null;
  const ids = isObject(preserved) ? preserved['allUuids'] : null;
  return new Set(Array.isArray(ids) ? ids : []);
}

interface Call {
  name: string;
  input: JsonObject;
}

function callsOf(record: JsonObject): [id: unknown, call: Call][] {
  return blocksOf(record).flatMap(({ type, id, name, input }) =>
    type === 'tool_use' && typeof name === 'string' && isObject(input)
      ? [[id, { name, input }]]
      : [],
  );
}

function blocksOf({ message }: JsonObject): JsonObject[] {
  const content: unknown = isObject(message) ? message['content'] : null;
  return Array.isArray(content) ? content.filter(isObject) : [];
}

/** What an attachment of the client or the result of a call shows. */
function seenIn(record: JsonObject, calls: ReadonlyMap<unknown, Call>): Seen[] {
  const { attachment, toolUseResult: details } = record;
  if (isObject(attachment))
    return attachment['type'] === 'file'
      ? contentSeen(attachment['content'])
      : [];
  return blocksOf(record).flatMap((block) => {
    const call = calls.get(block['tool_use_id']);
    if (block['type'] !== 'tool_result' || call === undefined) return [];
    const isFailed = block['is_error'] === true;
    return seenByCall(call, block, isObject(details) ? details : {}, isFailed);
  });
}

function seenByCall(
  { name, input }: Call,
  block: JsonObject,
  details: JsonObject,
  isFailed: boolean,
): Seen[] {
  // A command line that fails at its end has printed its output all the same.
  if (name === 'Bash') {
    const command = textIn(input, 'command') ?? '';
    return [{ kind: 'printed', command, output: outputOf(block) }];
  }
  const path = textIn(input, 'file_path');
  if (isFailed || path === null) return [];
  if (name === 'Read') return contentSeen(details);
  if (name === 'Write') {
    const text = textIn(input, 'content');
    if (text === null) return [];
    return [{ kind: 'content', path, from: 1, text, all: true }];
  }
  if (name !== 'Edit') return [];
  const oldText = textIn(details, 'oldString') ?? textIn(input, 'old_string');
  const newText = textIn(details, 'newString') ?? textIn(input, 'new_string');
  if (oldText === null || newText === null) return [];
  // With nothing to replace, the call writes a new file.
  if (oldText === '')
    return [{ kind: 'content', path, from: 1, text: newText, all: true }];
  const isEverywhere = input['replace_all'] === true;
  const before = textIn(details, 'originalFile');
  const edit = { old: oldText, new: newText, isEverywhere, before };
  return [{ kind: 'edit', path, edit }];
}

/** A file that the client has put into the conversation: `{type: "text", file: {filePath, content, startLine, …}}`. */
function contentSeen(details: unknown): Seen[] {
  const file = isObject(details) ? details['file'] : null;
  if (!isObject(file)) return [];
  const path = textIn(file, 'filePath');
  const text = textIn(file, 'content');
  // `file_unchanged`, the answer to a repeated Read, has no content: what it repeats stands further up.
  if (path === null || text === null) return [];
  const { startLine, numLines, totalLines } = file;
  const from = typeof startLine === 'number' ? startLine : 1;
  const isCut =
    typeof numLines === 'number' &&
    typeof totalLines === 'number' &&
    numLines < totalLines;
  const all = from <= 1 && !isCut;
  return [{ kind: 'content', path, from: Math.max(1, from), text, all }];
}

/** What the model was given of an output. The client may keep more of it in a file. */
function outputOf({ content }: JsonObject): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isObject)
    .map((block) => textIn(block, 'text') ?? '')
    .join('\n');
}

function textIn(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === 'string' ? value : null;
}
