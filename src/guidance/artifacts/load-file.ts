import { contextReader } from '../../files/context-files.ts';
import { parseJson } from '../../text/json.ts';
import type { Loaded } from './types.ts';

export const MAX_BYTES = 1_000_000;

/** Undefined if there is no such file. */
export function loadFile(root: string, path: string, isJson: boolean): Loaded | undefined {
  const file = contextReader(root)(path, MAX_BYTES);
  if (file.kind === 'absent') return undefined;
  if (file.kind === 'refused') return { ...file, path };
  const { text } = file;
  if (text.trim() === '') return { kind: 'empty', path };
  const size = Buffer.byteLength(text);
  return {
    kind: 'text',
    text,
    size,
    path,
    // Invalid JSON is loaded as well, with a note.
    ...(isJson && parseJson(text) === undefined ? { note: 'not valid JSON' } : {}),
  };
}
