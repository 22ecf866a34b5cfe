import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readEnd } from './read-end.ts';
import { readTranscript, type Transcript } from './transcript.ts';

const MAX_FILES = 3;
const MAX_BYTES = 2_000_000;

export interface SessionTranscript extends Transcript {
  session: string;
  modifiedAt: number;
}

/** The ends of the newest transcripts. */
export function readTranscripts(
  folder: string,
  isOurs: (commandLine: string) => boolean,
): SessionTranscript[] {
  return filesIn(folder)
    .toSorted((a, b) => b.modifiedAt - a.modifiedAt)
    .slice(0, MAX_FILES)
    .map(({ path, modifiedAt }) => ({
      session: basename(path, '.jsonl'),
      modifiedAt,
      ...readTranscript(readEnd(path, MAX_BYTES) ?? [], isOurs),
    }));
}

/** Ignores broken links and everything that is not a file. */
function filesIn(folder: string): { path: string; modifiedAt: number }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl') && existsSync(join(folder, name)))
    .map((name) => ({ path: join(folder, name), stat: statSync(join(folder, name)) }))
    .filter(({ stat }) => stat.isFile())
    .map(({ path, stat }) => ({ path, modifiedAt: stat.mtimeMs }));
}
