import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import type { CallOptions, Result, Sandbox } from './cli.ts';

/** What a call prints and leaves behind, without what differs between any two calls. */
export interface Outcome extends Result {
  files: Record<string, string>;
}

/**
 * Makes the same call twice from the same files: in a process of its own and in the resident process. The files that
 * the second call leaves are kept.
 */
export function callBothWays(
  box: Sandbox,
  words: string[],
  options: CallOptions = {},
): { own: Outcome; resident: Outcome } {
  // The same time for both calls. To one of the present, files would be new that are not to the other.
  const now = new Date(Date.now() + 3_600_000).toISOString();
  const base = dirname(box.root);
  const copy = `${base}-copy`;
  fse.copySync(base, copy, { preserveTimestamps: true });
  try {
    const own = outcome(
      base,
      box.run(words, { now, ...options, ownProcess: true }),
    );
    fse.emptyDirSync(base);
    fse.copySync(copy, base, { preserveTimestamps: true });
    return {
      own,
      resident: outcome(
        base,
        box.run(words, { now, ...options, ownProcess: false }),
      ),
    };
  } finally {
    fse.removeSync(copy);
  }
}

/** Git's own files have times and hashes of times in them. */
const OF_GIT = /\.git\/(?!info\/exclude$)/;

function outcome(base: string, { code, stdout, stderr }: Result): Outcome {
  const paths = readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(base.length + 1))
    // Only a process of its own keeps the code that V8 has compiled.
    .filter((path) => !OF_GIT.test(path) && !path.endsWith('.cache'));
  const files = paths.map((path) => [
    withoutVariables(path),
    withoutVariables(readFileSync(join(base, path), 'utf8')),
  ]);
  return {
    code,
    stdout: withoutVariables(stdout),
    stderr: withoutVariables(stderr),
    files: Object.fromEntries(files),
  };
}

/** Replaces times, what is computed from them, names of temporary folders, and marks, which are of inodes and times. */
function withoutVariables(text: string): string {
  return text
    .replaceAll(/\s*"mark": "[^"]*",?/g, '')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, '(time)')
    .replaceAll(/\d{8}_\d{6}/g, '(time)')
    .replaceAll(/(holdfast-[a-z]+-)\w{6}\b/g, '$1(temporary)')
    .replaceAll(/\b\d+(?:\.\d+)? (?:m?s|times)\b/g, '(duration)')
    .replaceAll(/\b(?:[0-9a-f]{12,}|\d{9,}(?:\.\d+)?)\b/g, '(number)');
}
