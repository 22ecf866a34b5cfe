import { isAbsolute, relative, sep } from 'node:path';
import { locate } from '../io/read-file.ts';
import { findTranscript } from '../sessions/find-transcript.ts';
import { readToolCalls } from '../sessions/transcript.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import type { OperationContext } from './open-project.ts';

const MAX_FILES = 100;
const WRITING_TOOLS = new Map([
  ['Write', 'file_path'],
  ['Edit', 'file_path'],
  ['MultiEdit', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
]);
/** Journal events after which a run is at another position. */
const MOVES = new Set([
  'started',
  'advanced',
  'failed',
  'skipped',
  'pivoted',
  'approved',
  'rejected',
]);

/** The files inside the project that the session has written since the run last moved, in order. */
export function writtenFiles(context: OperationContext, run: StoredRun): string[] {
  const { session, config, store, root } = context;
  const since = store.journal(run).findLast(({ event }) => MOVES.has(event))?.at;
  const transcript = session === null ? null : findTranscript(config, session, root);
  if (transcript === null || since === undefined) return [];
  const start = Date.parse(since);
  const files: string[] = [];
  for (const { name, input, at } of readToolCalls(transcript, () => false) ?? []) {
    if (at !== undefined && Date.parse(at) < start) break;
    const field = WRITING_TOOLS.get(name);
    const path = field === undefined ? undefined : input[field];
    if (at === undefined || typeof path !== 'string') continue;
    const inside = pathInProject(root, path);
    if (inside !== null && !files.includes(inside)) files.push(inside);
    if (files.length === MAX_FILES) break;
  }
  return files.toReversed();
}

/** Null for a path outside the project, for a file that is gone and for the state files of holdfast. */
function pathInProject(root: string, path: string): string | null {
  if (!isAbsolute(path) || locate(root, path) !== 'inside') return null;
  const inside = relative(root, path).split(sep).join('/');
  return inside.startsWith('..') || inside.startsWith(`${STATE_FOLDER}/`) ? null : inside;
}
