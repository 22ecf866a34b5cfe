import { namesIfReadable } from '../files/read-file.ts';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isPlainId } from '../text/sanitize.ts';

const MAX_FOLDERS = 2_000;

/**
 * The transcript of a session, for commands: unlike hooks they are not told its path. The client keeps one folder for
 * each folder that it was launched in.
 */
export function findTranscript(config: string, session: string, root: string): string | null {
  if (!isPlainId(session)) return null;
  const projects = join(config, 'projects');
  const expected = join(transcriptFolder(config, root), `${session}.jsonl`);
  if (existsSync(expected)) return expected;
  const elsewhere = namesIfReadable(projects)
    .slice(0, MAX_FOLDERS)
    .map((name) => join(projects, name, `${session}.jsonl`));
  return elsewhere.find((path) => existsSync(path)) ?? null;
}

/** The client's folder of transcripts for sessions that were launched in this folder. */
function transcriptFolder(config: string, launchedIn: string): string {
  const real = existsSync(launchedIn) ? realpathSync.native(launchedIn) : launchedIn;
  return join(config, 'projects', real.replace(/[^A-Za-z0-9]/g, '-'));
}
