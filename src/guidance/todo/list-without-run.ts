import { join } from 'node:path';
import { digestOf } from '../../text/slug.ts';
import { readTextFile } from '../../files/read-file.ts';
import { replaceText } from '../../files/replace-text.ts';
import { TODO_RECORD_FILE } from '../../state/paths.ts';
import { isObject, parseJson } from '../../text/json.ts';

const MAX_BYTES = 10_000;

/** Whether `set` wrote this list where no run could record it, and only holdfast has changed it since. */
export function isListWithoutRun(root: string, path: string, text: string): boolean {
  const file = readTextFile(join(root, TODO_RECORD_FILE), MAX_BYTES, 'refused');
  const record = file.kind === 'text' ? parseJson(file.text) : undefined;
  return isObject(record) && record['path'] === path && record['digest'] === digestOf(text);
}

/** Only the last list counts. To be called under the store's lock. */
export function recordListWithoutRun(root: string, path: string, text: string): void {
  const record = { path, digest: digestOf(text) };
  replaceText(join(root, TODO_RECORD_FILE), `${JSON.stringify(record)}\n`);
}
