import { isAbsolute, relative } from 'node:path';
import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import type { StreamMessage } from '../client/stream-message.ts';
import type { DriverEvent } from '../events.ts';

const MAX_TARGET = 120;

/** What a tool is used on, in a few words: a file of the project, a command, or what is searched for. */
export function describeActivity(
  { name, input, isOfSubAgent }: Extract<StreamMessage, { kind: 'tool' }>,
  root: string,
): Extract<DriverEvent, { event: 'activity' }> {
  const file = [input['file_path'], input['path'], input['notebook_path']].find(isText);
  const words = [
    input['command'],
    input['pattern'],
    input['query'],
    input['url'],
    input['description'],
    input['skill'],
  ];
  const target = file === undefined ? (words.find(isText) ?? '') : shortPath(root, file);
  return {
    event: 'activity',
    tool: truncate(sanitizeLine(name), MAX_TARGET),
    target: truncate(sanitizeLine(target.split('\n')[0] ?? ''), MAX_TARGET),
    sub_agent: isOfSubAgent,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function shortPath(root: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const inside = relative(root, path);
  return inside.startsWith('..') ? path : inside;
}
