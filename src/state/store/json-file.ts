import { readTextFile } from '../../files/read-file.ts';
import { isObject, isWithinLimits, parseJson } from '../../text/json.ts';

/** Far more than holdfast writes into such a file, and little enough for a hook to hold in memory. */
const MAX_JSON_FILE_BYTES = 8_000_000;

/** Undefined for a file that is not there or is damaged: then a source or a reminder may be handled twice. */
export function readJsonFile(path: string): unknown {
  const file = readTextFile(path, MAX_JSON_FILE_BYTES, 'refused');
  const isUsable = file.kind === 'text' && isWithinLimits(file.text);
  return isUsable ? parseJson(file.text) : undefined;
}

/** The entries of an object from a file that have the right form; damaged ones count as absent. */
export function validEntries<T>(
  value: unknown,
  isValid: (entry: unknown) => entry is T,
): Record<string, T> {
  if (!isObject(value)) return {};
  const valid: [key: string, entry: T][] = [];
  for (const [key, entry] of Object.entries(value))
    if (isValid(entry)) valid.push([key, entry]);
  // Not set one by one: a session may be named `__proto__`.
  return Object.fromEntries(valid);
}
