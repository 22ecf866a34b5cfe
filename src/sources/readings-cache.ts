import { statSync } from 'node:fs';
import { writeThenRename } from '../files/atomic-write.ts';
import {
  cacheFolder,
  configFolder,
  homeFolder,
  runtimeFolder,
} from '../files/environment.ts';
import { readTextFile, unlessRefused } from '../files/read-file.ts';
import { isObject, parseJson, type JsonObject } from '../text/json.ts';
import { digestOf } from '../text/slug.ts';
import type { SourceFile } from './types.ts';

/** Of the cache; a larger one is made anew. */
const MAX_CACHE_BYTES = 20_000_000;

/** A file that was written so recently may be written again without a change of its time. */
const SETTLED_AFTER_MS = 2_000;

/** What a file declared when it was read last. */
interface CachedReading {
  /** Changes whenever the file or what else the reading depends on does. */
  stamp: string;
  sources: SourceFile[];
}

/**
 * What the sources of a project said, as long as the times of their files stay the same: V8 needs longer to compile the
 * patterns that read a plan than for all else that a hook does. It is kept in the user's own folder, because it is
 * believed: a repository must not be able to bring such a file along.
 */
export class ReadingsCache {
  /** Readings of another version are not used; code that was not built has no version and no cache. */
  readonly #build = process.env['HOLDFAST_BUILD'];
  readonly #root: string;
  readonly #path: string;
  readonly #before: JsonObject;
  readonly #now: Record<string, CachedReading> = {};
  #isChanged = false;

  constructor(root: string) {
    const config = configFolder(process.env, homeFolder());
    const folder = cacheFolder(runtimeFolder(config));
    this.#root = root;
    this.#path = `${folder}/readings-${digestOf(root)}.json`;
    this.#before = this.#build ? readReadings(this.#path, this.#build) : {};
  }

  /**
   * What the first of these files declares: as it was read before, or as `read` reads it now. The reading also depends
   * on the other files, and on what `options` says about the way in which it is read.
   */
  readingOf(
    paths: readonly string[],
    options: string,
    read: () => SourceFile[],
  ): SourceFile[] {
    const [path = ''] = paths;
    const stamp = unlessRefused(() => this.#stampOf(paths, options));
    const before = this.#before[path];
    const isSame = isCachedReading(before) && before.stamp === stamp;
    const sources = isSame ? before.sources : read();

    const isReadable = sources.every(({ state }) => state !== 'unreadable');
    if (stamp !== null && isReadable) {
      this.#now[path] = { stamp, sources };
      if (!isSame) this.#isChanged = true;
    }
    return sources;
  }

  /** Changes with each of the files; null without the first one, or if one may change unnoticed. */
  #stampOf(paths: readonly string[], options: string): string | null {
    const stats = paths.map((path) =>
      statSync(`${this.#root}/${path}`, { throwIfNoEntry: false }),
    );
    if (stats[0] === undefined) return null;
    const changedAt = Math.max(...stats.map((stat) => stat?.ctimeMs ?? 0));
    if (Math.abs(Date.now() - changedAt) < SETTLED_AFTER_MS) return null;
    const files = stats.map(
      (stat) => stat && [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs],
    );
    return [options, ...files].join(' ');
  }

  /** For the next call; where nothing can be written, that one is only slower. */
  save(): void {
    if (!this.#isChanged || !this.#build) return;
    const temporary = `${this.#path}-${process.pid}`;
    const text = JSON.stringify({ build: this.#build, readings: this.#now });
    unlessRefused(() =>
      writeThenRename(temporary, this.#path, text, { isDurable: false }),
    );
  }
}

function readReadings(path: string, build: string): JsonObject {
  const file = readTextFile(path, MAX_CACHE_BYTES, 'refused');
  if (file.kind !== 'text') return {};
  const cache = parseJson(file.text);
  if (!isObject(cache) || cache['build'] !== build) return {};
  return isObject(cache['readings']) ? cache['readings'] : {};
}

/** Only holdfast writes the file, and always whole, so nothing more is checked. */
function isCachedReading(value: unknown): value is CachedReading {
  return isObject(value) && Array.isArray(value['sources']);
}
