import { statSync, writeFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { renameWithRetry } from '../files/atomic-write.ts';
import { digestOf } from '../text/digest.ts';
import { readTextFile, removeIfThere, unlessRefused } from '../files/read-file.ts';
import { cacheFolder, runtimeFolder, configFolder, homeFolder } from '../files/environment.ts';
import { isObject, parseJson } from '../text/json.ts';
import type { SourceFile } from './types.ts';

const MAX_BYTES = 20_000_000;

/** A file that was written so recently may be written again without a change of its time. */
const SETTLED_AFTER = 2_000;

type Exists = (path: string) => boolean;

interface Kept {
  stamp: string;
  /** The files that the reading depends on, and whether they were there. */
  exists: Record<string, boolean>;
  sources: SourceFile[];
}

/**
 * What the sources of a project said, as long as the times of their files stay the same: V8 needs longer to compile the
 * patterns that read a plan than for all else that a hook does. It is kept in the user's own folder, because it is
 * believed.
 */
export class KeptReadings {
  readonly #build = process.env['HOLDFAST_BUILD'];
  readonly #path: string;
  readonly #before: unknown;
  readonly #now: Record<string, Kept> = {};
  #isChanged = false;

  constructor(private readonly root: string) {
    const config = configFolder(process.env, homeFolder());
    this.#path = `${cacheFolder(runtimeFolder(config))}/readings-${digestOf(root)}.json`;
    // A relative folder may be one that a repository brings along.
    const isOwn = isAbsolute(process.env['CLAUDE_CONFIG_DIR'] || config);
    const file = isOwn && this.#build ? readTextFile(this.#path, MAX_BYTES, 'refused') : undefined;
    const kept = file?.kind === 'text' ? parseJson(file.text) : undefined;
    this.#before = isObject(kept) && kept['build'] === this.#build ? kept['readings'] : undefined;
  }

  /** What `read` makes of the first of these files, or has made of it before. `how` tells what else it depends on. */
  of(
    paths: readonly string[],
    how: string,
    exists: Exists,
    read: (exists: Exists) => SourceFile[],
  ): SourceFile[] {
    const [path = ''] = paths;
    const stamp = unlessRefused(() => this.#stampOf(paths, how));
    const before = isObject(this.#before) ? this.#before[path] : undefined;
    if (isKept(before) && before.stamp === stamp) {
      this.#now[path] = before;
      if (Object.entries(before.exists).every(([name, was]) => exists(name) === was))
        return before.sources;
    }
    const asked: Record<string, boolean> = {};
    const sources = read((name) => (asked[name] ??= exists(name)));
    if (stamp !== null && sources.every(({ reading }) => reading.state !== 'unreadable')) {
      this.#now[path] = { stamp, exists: asked, sources };
      this.#isChanged = true;
    }
    return sources;
  }

  /** Changes with each of the files; null without the first one, or if one may change unnoticed. */
  #stampOf(paths: readonly string[], how: string): string | null {
    const stats = paths.map((path) => statSync(`${this.root}/${path}`, { throwIfNoEntry: false }));
    const latest = Math.max(...stats.map((stat) => stat?.ctimeMs ?? 0));
    if (stats[0] === undefined || Math.abs(Date.now() - latest) < SETTLED_AFTER) return null;
    const files = stats.map((stat) => stat && [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs]);
    return [how, ...files].join(' ');
  }

  /** For the next call; where nothing can be written, that one is only slower. */
  keep(): void {
    if (!this.#isChanged || !this.#build) return;
    const temporary = `${this.#path}-${process.pid}`;
    const text = JSON.stringify({ build: this.#build, readings: this.#now });
    const isWritten = unlessRefused(() => {
      writeFileSync(temporary, text, { mode: 0o600 });
      renameWithRetry(temporary, this.#path);
      return true;
    });
    if (isWritten === null) unlessRefused(() => removeIfThere(temporary));
  }
}

/** Only holdfast writes the file, and always whole. */
function isKept(value: unknown): value is Kept {
  return isObject(value) && isObject(value['exists']) && Array.isArray(value['sources']);
}
