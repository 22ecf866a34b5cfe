import { writeFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { renameWithRetry } from '../files/atomic-write.ts';
import { digestOf } from '../text/digest.ts';
import { readTextFile, removeIfThere, unlessRefused } from '../files/read-file.ts';
import { cacheFolder, runtimeFolder, configFolder, homeFolder } from '../files/environment.ts';
import { isObject, parseJson } from '../text/json.ts';

const MAX_BYTES = 20_000_000;

type Exists = (path: string) => boolean;

interface Kept<Reading> {
  digest: string;
  /** The files that the reading depends on, and whether they were there. */
  exists: Record<string, boolean>;
  reading: Reading;
}

/**
 * What the sources of a project said, by the digest of their texts: V8 needs longer to compile the patterns that read a
 * plan than for all else that a hook does. It is kept in the user's own folder, because it is believed.
 */
export class KeptReadings {
  readonly #build = process.env['HOLDFAST_BUILD'];
  readonly #path: string;
  readonly #before: unknown;
  readonly #now: Record<string, Kept<unknown>> = {};
  #isChanged = false;

  constructor(root: string) {
    const config = configFolder(process.env, homeFolder());
    this.#path = `${cacheFolder(runtimeFolder(config))}/readings-${digestOf(root)}.json`;
    // A relative folder may be one that a repository brings along.
    const isOwn = isAbsolute(process.env['CLAUDE_CONFIG_DIR'] || config);
    const file = isOwn && this.#build ? readTextFile(this.#path, MAX_BYTES, 'refused') : undefined;
    const kept = file?.kind === 'text' ? parseJson(file.text) : undefined;
    this.#before = isObject(kept) && kept['build'] === this.#build ? kept['readings'] : undefined;
  }

  /** What `read` makes of the text, or has made of it before. */
  of<Reading>(
    path: string,
    text: string,
    exists: Exists,
    read: (exists: Exists) => Reading,
  ): Reading {
    const digest = digestOf(text);
    const before = isObject(this.#before) ? this.#before[path] : undefined;
    if (isKept<Reading>(before, digest)) {
      this.#now[path] = before;
      if (Object.entries(before.exists).every(([name, was]) => exists(name) === was))
        return before.reading;
    }
    const asked: Record<string, boolean> = {};
    const reading = read((name) => (asked[name] ??= exists(name)));
    this.#now[path] = { digest, exists: asked, reading };
    this.#isChanged = true;
    return reading;
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
function isKept<Reading>(value: unknown, digest: string): value is Kept<Reading> {
  return isObject(value) && value['digest'] === digest && isObject(value['exists']);
}
