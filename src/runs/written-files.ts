import { isAbsolute, relative, sep } from 'node:path';
import { locate } from '../files/read-file.ts';
import type { Project } from '../sessions/open-project.ts';
import { STATE_FOLDER } from '../state/paths.ts';
import { readJournalOf } from '../state/store/journal-files.ts';
import type { Run } from '../state/types.ts';
import {
  findTranscript,
  readToolCalls,
  writtenPath,
} from '../sessions/transcript.ts';

const MAX_FILES = 100;

/** Journal events after which a run is at another position; a failure is one if the step or task was skipped. */
const MOVES = new Set([
  'started',
  'advanced',
  'skipped',
  'pivoted',
  'approved',
  'rejected',
]);

/** The files inside the project that the session has written since the run last moved, in order. */
export function writtenFiles(
  { config, root }: Pick<Project, 'config' | 'root'>,
  session: string | null,
  run: Run,
): string[] {
  const since = lastMove(root, run);
  const transcript =
    session === null ? null : findTranscript(config, session, root);
  if (transcript === null || since === null) return [];
  const files = new Set<string>();
  // The latest call comes first.
  const calls = readToolCalls(transcript, () => false) ?? [];
  for (const { name, input, at } of calls) {
    if (at === undefined) continue;
    if (Date.parse(at) < since || files.size === MAX_FILES) break;
    const path = writtenPath({ name, input });
    const inside = path === null ? null : pathInProject(root, path);
    if (inside !== null) files.add(inside);
  }
  return [...files].toReversed();
}

/** In milliseconds; null if the journal does not tell. */
function lastMove(root: string, run: Run): number | null {
  const move = readJournalOf(root, run).findLast(
    ({ event, outcome }) => MOVES.has(event) || outcome === 'skip',
  );
  return move === undefined ? null : Date.parse(move.at);
}

/** Null for a path outside the project, for a file that is gone and for the state files of holdfast. */
function pathInProject(root: string, path: string): string | null {
  if (!isAbsolute(path) || locate(root, path) !== 'inside') return null;
  const inside = relative(root, path).split(sep).join('/');
  const isOurs = inside.startsWith(`${STATE_FOLDER}/`);
  return inside.startsWith('..') || isOurs ? null : inside;
}
