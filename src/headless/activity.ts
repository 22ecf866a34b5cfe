import { isAbsolute, relative } from 'node:path';
import type { JsonObject } from '../text/json.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { DriverEvent } from './setup.ts';
import type { StreamMessage } from './stream.ts';

const MAX_CHARS = 120;

/** Inputs of the client's tools that name a file. */
const FILE_INPUTS = ['file_path', 'path', 'notebook_path'];
/** Inputs that say in a few words what a tool is used for, the most telling first. */
const OTHER_INPUTS = [
  'command',
  'pattern',
  'query',
  'url',
  'description',
  'skill',
];

/** What a tool is used on: a file of the project, a command, or what is searched for. */
export function activityEvent(
  { name, input, isOfSubAgent }: Extract<StreamMessage, { kind: 'tool' }>,
  root: string,
): DriverEvent {
  const file = firstText(input, FILE_INPUTS);
  const target =
    file === null ? firstText(input, OTHER_INPUTS) : shownPath(file, root);
  const firstLine = target?.split('\n')[0] ?? '';
  return {
    event: 'activity',
    tool: truncate(sanitizeLine(name), MAX_CHARS),
    target: truncate(sanitizeLine(firstLine), MAX_CHARS),
    sub_agent: isOfSubAgent,
  };
}

function firstText(input: JsonObject, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = input[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** Relative to the project where it is inside. */
function shownPath(file: string, root: string): string {
  if (!isAbsolute(file)) return file;
  const path = relative(root, file);
  return path.startsWith('..') ? file : path;
}
