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
  const launched = existsSync(root) ? realpathSync.native(root) : root;
  const expected = join(projects, launched.replace(/[^A-Za-z0-9]/g, '-'), `${session}.jsonl`);
  if (existsSync(expected)) return expected;
  const elsewhere = namesIfReadable(projects)
    .slice(0, MAX_FOLDERS)
    .map((name) => join(projects, name, `${session}.jsonl`));
  return elsewhere.find((path) => existsSync(path)) ?? null;
}
