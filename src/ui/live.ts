import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import fse from 'fs-extra';
import { isInside, sessionsFolder } from '../files/environment.ts';
import { digestOf } from '../text/slug.ts';
import { entriesIn, errorCode } from '../files/read-file.ts';
import { requiredPaths } from '../guidance/reading/reading-list.ts';
import type { KnownProject } from '../sessions/projects.ts';
import { loadSettings, SETTINGS_FILE } from '../settings/settings.ts';
import { ARCHIVE_FOLDER, STATE_FOLDER } from '../state/paths.ts';
import { listRuns } from '../state/store/list-runs.ts';

const LOOK_EVERY_MS = 700;
/** Looking at the files takes at most this part of the time, also in a project with thousands of runs. */
const IDLE_FACTOR = 20;

export interface LiveOptions {
  fingerprint: (shown: readonly string[]) => string;
  now: () => number;
}

/** Tells pages that something has changed, by server-sent events. Without listeners, nothing is looked at. */
export class LiveUpdates {
  /** With the run that each page shows. */
  private readonly streams = new Map<ServerResponse, string | null>();
  private timer: NodeJS.Timeout | undefined;
  /** Null at first: then pages are told that something has changed, because that is not known. */
  private last: string | null = null;

  constructor(private readonly options: LiveOptions) {}

  add(response: ServerResponse, shown: string | null): void {
    this.streams.set(response, shown);
    response.on('close', () => {
      this.streams.delete(response);
      if (this.streams.size > 0) return;
      this.stopLooking();
      this.last = null;
    });
    // The browser connects again by itself after this many milliseconds.
    response.write('retry: 1500\n\n');
    send(response, 'hello');
    // The page asks for its data now. Looking at the files would keep it waiting, so that comes later.
    if (this.timer === undefined) this.schedule(0);
  }

  close(): void {
    this.stopLooking();
    for (const response of this.streams.keys()) {
      send(response, 'stopped');
      response.end();
    }
    this.streams.clear();
  }

  private look(): void {
    const started = this.options.now();
    const current = this.fingerprint();
    if (current !== this.last) for (const response of this.streams.keys()) send(response, 'change');
    this.last = current;
    this.schedule(this.options.now() - started);
  }

  private schedule(tookMs: number): void {
    this.timer = setTimeout(() => this.look(), Math.max(LOOK_EVERY_MS, tookMs * IDLE_FACTOR));
  }

  private stopLooking(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private fingerprint(): string {
    const shown = new Set([...this.streams.values()].filter((id) => id !== null));
    try {
      return this.options.fingerprint([...shown]);
    } catch (error) {
      // A project that cannot be read is a change, too: pages ask again, and the answer says what is wrong.
      return `unreadable: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

function send(response: ServerResponse, event: string): void {
  response.write(`event: ${event}\ndata:\n\n`);
}

const MAX_FILES = 500;

/** A text that changes whenever a file that a page shows is written, made from file times only. */
function fingerprintOf(root: string, shown: readonly string[]): string {
  const { detect, todo } = loadSettings(root).settings;
  const planFolders = detect.plans.map((pattern) => pattern.replace(/[^/]*[*?[{].*$/s, ''));
  const files = [
    // Files of the archive come and go, which changes the folder, and are not edited.
    ARCHIVE_FOLDER,
    SETTINGS_FILE,
    detect.local_file,
    todo.file,
    ...planFolders,
    ...filesOf(root, shown).slice(0, MAX_FILES),
  ];
  const marks = files
    .map((path) => join(root, path))
    .filter((path) => isInside(root, path))
    .map((path) => timeMark(path));
  return digestOf([...folderMarks(root, STATE_FOLDER, 1), ...marks].join('\n'));
}

/** The same for several projects, of which pages show runs as `key/id`, and for the registry that knows them. */
export function fingerprintOfAll(
  projects: readonly Pick<KnownProject, 'root' | 'key'>[],
  shown: readonly string[],
  config: string,
): string {
  const marks = projects.map(({ root, key }) =>
    fingerprintOf(
      root,
      shown.filter((run) => run.startsWith(`${key}/`)).map((run) => run.slice(key.length + 1)),
    ),
  );
  return [timeMark(sessionsFolder(config)), ...marks].join(' ');
}

/** The required files and the sources of the runs that pages show, relative to the project root. */
function filesOf(root: string, shown: readonly string[]): string[] {
  if (shown.length === 0) return [];
  return listRuns(root)
    .runs.filter(({ runId }) => shown.includes(runId))
    .flatMap(({ state }) => [
      ...requiredPaths(state, root).map((path) => path.slice(1)),
      ...(state.source?.path === undefined ? [] : [state.source.path]),
    ]);
}

/** The entries of a folder with their times, and those of its sub-folders down to `depth`. */
function folderMarks(root: string, folder: string, depth: number): string[] {
  return entriesIn(join(root, folder)).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    const mark = `${path} ${timeMark(join(root, path))}`;
    return entry.isDirectory() && depth > 0
      ? [mark, ...folderMarks(root, path, depth - 1)]
      : [mark];
  });
}

function timeMark(full: string): string {
  try {
    const stat = fse.lstatSync(full, { throwIfNoEntry: false });
    return stat === undefined ? 'absent' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  }
}
