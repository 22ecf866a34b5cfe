import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { withholder } from '../files/context-files.ts';
import { checkedOutBranch, checkedOutCommit } from '../files/git.ts';
import {
  expandGlob,
  isAbsent,
  locate,
  matchesGlob,
  readProjectFile,
  type ReadResult,
  readTextFile,
  unlessRefused,
} from '../files/read-file.ts';
import type { PlanFormatId, Settings } from '../settings/settings.ts';
import { FORMATS, formatOf } from './parse/formats.ts';
import { readLocalFile } from './parse/local-file.ts';
import { readPlan } from './parse/plan.ts';
import { readFormat, readStartedPlan } from './parse/read-format.ts';
import { startedPlans } from './source-state.ts';
import { ANY_PLAN, type SourceFile, type SyncInput } from './types.ts';
import { writeThenRename } from '../files/atomic-write.ts';
import { digestOf } from '../text/slug.ts';
import {
  cacheFolder,
  runtimeFolder,
  configFolder,
  homeFolder,
} from '../files/environment.ts';
import { isObject, parseJson } from '../text/json.ts';
import { asWord } from '../text/sanitize.ts';

const MAX_BYTES = 1_000_000;
const MAX_PATTERNS = 50;
const MAX_PLANS = 2_000;
/** All sources together: more would take a hook too long. */
const MAX_TOTAL_BYTES = 4_000_000;

/** A source that was not read, or the setting because of which some were not. */
type SourceProblem = { path: string; message: string };

/**
 * Every file that may declare a workflow, with what it declares now, and why some were not read. `known` are the plans
 * that runs come from: one that is not found may have been moved to an archive folder. A person has started a run from
 * those in `started`, wherever they are in the project: they are read whatever they say. What a file declares is told to
 * agents, so one that is kept from them is not read at all.
 */
export function readSources(
  root: string,
  detect: Settings['detect'],
  {
    known = new Set(),
    started = new Set(),
  }: { known?: ReadonlySet<string>; started?: ReadonlySet<string> } = {},
): { sources: SourceFile[]; problems: SourceProblem[] } {
  const patterns = detect.plans.slice(0, MAX_PATTERNS);
  const matching = new Set(patterns.flatMap((each) => expandGlob(root, each)));
  const isOwn = (path: string): boolean =>
    matching.has(path) || patterns.some((each) => matchesGlob(path, each));
  const own = [...matching].toSorted();
  const others = findFormatPlans(root, detect.formats).filter(
    (path) => !isOwn(path),
  );
  // Plan folders are numbered, so the last ones are the newest.
  const found = [...others.slice(-MAX_PLANS), ...own.slice(-MAX_PLANS)];
  const paths = [
    ...found.filter((path) => !started.has(path)),
    ...started,
  ].filter((path) => path !== detect.local_file);

  const files = new SourceFiles(root);
  const kept = new KeptReadings(root);
  const isWithheld = withholder(root);
  const withheld = new Set<string>();
  const isOpen = (path: string): boolean => {
    if (isAbsent(root, path) || !isWithheld(path)) return true;
    withheld.add(path);
    return false;
  };
  const local: SourceFile[] = isOpen(detect.local_file)
    ? kept.of([detect.local_file], 'local', () =>
        readLocal(files, detect.local_file),
      )
    : [{ kind: 'local-file', path: detect.local_file, state: 'unreadable' }];
  const readOne = (path: string): SourceFile[] => {
    if (!isOpen(path)) return [{ kind: 'plan', path, state: 'unreadable' }];
    const isStarted = started.has(path);
    const format = isOwn(path) ? 'own' : formatOf(path, detect.formats);
    const tool =
      format === undefined || format === 'own' ? undefined : FORMATS[format];
    // A plan in a folder such as `CLAUDE/Plan/Completed/001-x/`.
    if (!tool && !isStarted && isArchive(path.split('/').at(-3) ?? ''))
      return [{ kind: 'plan', path, state: 'finished' }];
    const companions = (tool?.companions?.(path) ?? []).filter(isOpen);
    const readings = kept.of(
      [path, ...companions],
      `${format} ${isStarted}`,
      (): SourceFile[] => {
        const file = files.read(path);
        if (file.kind === 'refused')
          return [{ kind: 'plan', path, state: 'unreadable' }];
        if (file.kind === 'absent') {
          const movedTo =
            isStarted || known.has(path)
              ? pathInArchive(root, path)
              : undefined;
          return movedTo === undefined
            ? []
            : [{ kind: 'plan', path, movedTo, state: 'finished' }];
        }
        const { text, modifiedAt } = file;
        const source = { path, text, companions: files.texts(companions) };
        const reading = isStarted
          ? readStartedPlan(source, format === 'own' ? format : tool)
          : tool
            ? readFormat(tool, source)
            : readPlan(text, path);
        const id = format ?? (isStarted ? ANY_PLAN : 'own');
        return [
          {
            kind: 'plan',
            path,
            modifiedAt,
            ...(id !== 'own' && { format: id }),
            ...reading,
          },
        ];
      },
    );
    return readings.map((reading) => withExisting(reading, files));
  };
  // The newest plans are read first, so that the byte limit drops the oldest; the result is in the order of paths.
  const read = paths.toReversed().flatMap(readOne);
  const seen = new Set([detect.local_file, ...paths]);
  // A file that exists but is not read, because of a limit or a setting, is not gone.
  const missed = [...known]
    .filter((path) => !seen.has(path))
    .flatMap((path): SourceFile[] =>
      isAbsent(root, path)
        ? readOne(path)
        : [{ kind: 'plan', path, state: 'unreadable' }],
    );
  kept.keep();
  addWithheld(files, withheld);
  if (detect.plans.length > MAX_PATTERNS)
    files.addProblem(
      'detect.plans',
      `only the first ${MAX_PATTERNS} patterns are used`,
    );
  if (own.length > MAX_PLANS)
    files.addProblem(
      detect.plans.join(', '),
      `only the last ${MAX_PLANS} of ${own.length} plans are read`,
    );
  return {
    sources: [...local, ...[...read, ...missed].toReversed()],
    problems: files.problems.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** One sentence for all of them: a rule may keep every file of the project from agents. */
function addWithheld(files: SourceFiles, withheld: ReadonlySet<string>): void {
  const [first, ...more] = withheld;
  if (first === undefined) return;
  const why =
    more.length === 0
      ? 'it is kept from agents'
      : `it and ${more.length} more are kept from agents`;
  files.addProblem(first, why);
}

/** Reads files of the project, each once, as long as all of them together are not too large. */
export class SourceFiles {
  readonly problems: SourceProblem[] = [];
  readonly #read = new Map<string, ReadResult>();
  readonly #exists = new Map<string, boolean>();
  #remaining = MAX_TOTAL_BYTES;

  constructor(readonly root: string) {}

  read(path: string): ReadResult {
    const before = this.#read.get(path);
    if (before) return before;
    const file = readProjectFile(
      this.root,
      path,
      Math.min(this.#remaining, MAX_BYTES),
    );
    this.#read.set(path, file);
    if (file.kind === 'refused') {
      const tooLarge =
        this.#remaining < MAX_BYTES
          ? `the plans together are larger than ${MAX_TOTAL_BYTES / 1_000_000} MB`
          : `the file is larger than ${MAX_BYTES / 1_000_000} MB`;
      this.addProblem(path, file.why === 'too large' ? tooLarge : file.why);
    }
    if (file.kind === 'text') this.#remaining -= file.text.length;
    return file;
  }

  texts(paths: readonly string[] = []): ReadonlyMap<string, string> {
    const files = paths.map((path) => [path, this.read(path)] as const);
    return new Map(
      files.flatMap(([path, file]) =>
        file.kind === 'text' ? [[path, file.text]] : [],
      ),
    );
  }

  exists(path: string): boolean {
    const known =
      this.#exists.get(path) ??
      locate(this.root, join(this.root, path)) === 'inside';
    this.#exists.set(path, known);
    return known;
  }

  addProblem(path: string, why: string): void {
    this.problems.push({
      path,
      message: `${asWord(path)} was not read: ${why}`,
    });
  }
}

/** Documents that a plan names, and CLAUDE/PlanWorkflow.md. */
const MAX_READING = 21;

/** Of the documents that a plan names, only those that exist. */
function withExisting(source: SourceFile, files: SourceFiles): SourceFile {
  if (!('said' in source) || source.said === undefined) return source;
  const [plan = '', ...named] = source.said.required_reading;
  const existing = named
    .filter((entry) => files.exists(entry.slice(1)))
    .slice(0, MAX_READING);
  return {
    ...source,
    said: { ...source.said, required_reading: [plan, ...existing] },
  };
}

/** One source for each section; a file without one is still there. */
function readLocal(files: SourceFiles, path: string): SourceFile[] {
  const file = files.read(path);
  if (file.kind === 'absent') return [];
  if (file.kind === 'refused')
    return [{ kind: 'local-file', path, state: 'unreadable' }];
  const { text, modifiedAt } = file;
  const sections = readLocalFile(text);
  const readings =
    sections.length === 0 ? [{ state: 'none' } as const] : sections;
  return readings.map((reading) => ({
    kind: 'local-file',
    path,
    modifiedAt,
    ...reading,
  }));
}

/** Reads the sources of the project and combines them with the runs and records of a store or a transaction. */
export function readSyncInput(
  context: Pick<SyncInput, 'session' | 'now'> & {
    root: string;
    settings: Pick<Settings, 'detect'>;
  },
  { runs, sourceRecords }: Pick<SyncInput, 'runs' | 'sourceRecords'>,
): { input: SyncInput; problems: SourceProblem[] } {
  const { root, settings, session, now } = context;
  const known = new Set(
    runs.flatMap(({ state: { source } }) =>
      source?.kind === 'plan' ? (source.path ?? []) : [],
    ),
  );
  const started = startedPlans(runs);
  const { sources, problems } = readSources(root, settings.detect, {
    known,
    started,
  });
  const head = checkedOutBranch(root) ?? checkedOutCommit(root) ?? '';
  return {
    input: { sources, runs, sourceRecords, head, session, now },
    problems,
  };
}

const ARCHIVE_NAMES = new Set([
  'complete',
  'completed',
  'done',
  'archive',
  'archived',
  'finished',
]);

const isArchive = (folder: string): boolean =>
  ARCHIVE_NAMES.has(posix.basename(folder).toLowerCase());

/** Where the plan is now, if it was moved to an archive folder beside it, its folder or the folder of all plans. */
function pathInArchive(root: string, planPath: string): string | undefined {
  const folder = posix.dirname(planPath);
  const [name, file] = [posix.basename(folder), posix.basename(planPath)];
  const archivesIn = (path: string): string[] =>
    expandGlob(root, posix.join(folder, path, '*')).filter(isArchive);
  // OpenSpec puts the date in front of the name of a change that it archives.
  const isMoved = (path: string): boolean =>
    /^(?:\d{4}-\d\d-\d\d-)?$/.test(posix.basename(path).slice(0, -name.length));
  const paths = [
    ...['..', '../..']
      .flatMap(archivesIn)
      .flatMap((archive) => expandGlob(root, `${archive}/*${name}`))
      .filter(isMoved)
      .map((path) => `${path}/${file}`),
    // A plan that shares its folder with others is moved without the folder.
    ...archivesIn('').map((archive) => `${archive}/${file}`),
  ];
  return paths.find((path) => locate(root, `${root}/${path}`) === 'inside');
}

/**
 * The plans of other tools, to be read from the last to the first: a tool's own in the order of their names, which
 * start with a number or a date where it gives them one. The tool with the most plans comes first, so that the limits of
 * a hook leave out its oldest plans.
 */
const findFormatPlans = (
  root: string,
  enabled: readonly PlanFormatId[],
): string[] =>
  [...new Set(enabled)]
    .map((id) => FORMATS[id])
    .map(({ patterns, excludes }) =>
      patterns
        // A project that does not use a tool costs one check of its folder.
        .filter((each) => existsSync(`${root}/${each.replace(/\/\*.*/, '')}`))
        .flatMap((each) => expandGlob(root, each))
        .filter((path) => !excludes?.test(path))
        .toSorted(),
    )
    .toSorted((one, other) => other.length - one.length)
    .flat();

const MAX_KEPT_BYTES = 20_000_000;

/** A file that was written so recently may be written again without a change of its time. */
const SETTLED_AFTER = 2_000;

interface Kept {
  stamp: string;
  sources: SourceFile[];
}

/**
 * What the sources of a project said, as long as the times of their files stay the same: V8 needs longer to compile the
 * patterns that read a plan than for all else that a hook does. It is kept in the user's own folder, because it is
 * believed.
 */
class KeptReadings {
  readonly #build = process.env['HOLDFAST_BUILD'];
  readonly #path: string;
  readonly #before: unknown;
  readonly #now: Record<string, Kept> = {};
  #isChanged = false;

  constructor(private readonly root: string) {
    const config = configFolder(process.env, homeFolder());
    this.#path = `${cacheFolder(runtimeFolder(config))}/readings-${digestOf(root)}.json`;
    const file = this.#build
      ? readTextFile(this.#path, MAX_KEPT_BYTES, 'refused')
      : undefined;
    const kept = file?.kind === 'text' ? parseJson(file.text) : undefined;
    this.#before =
      isObject(kept) && kept['build'] === this.#build
        ? kept['readings']
        : undefined;
  }

  /** What `read` makes of the first of these files, or has made of it before. `how` tells what else it depends on. */
  of(
    paths: readonly string[],
    how: string,
    read: () => SourceFile[],
  ): SourceFile[] {
    const [path = ''] = paths;
    const stamp = unlessRefused(() => this.#stampOf(paths, how));
    const before = isObject(this.#before) ? this.#before[path] : undefined;
    const isSame = isKept(before) && before.stamp === stamp;
    const sources = isSame ? before.sources : read();
    if (
      stamp !== null &&
      sources.every(({ state }) => state !== 'unreadable')
    ) {
      this.#now[path] = { stamp, sources };
      this.#isChanged ||= !isSame;
    }
    return sources;
  }

  /** Changes with each of the files; null without the first one, or if one may change unnoticed. */
  #stampOf(paths: readonly string[], how: string): string | null {
    const stats = paths.map((path) =>
      statSync(`${this.root}/${path}`, { throwIfNoEntry: false }),
    );
    const latest = Math.max(...stats.map((stat) => stat?.ctimeMs ?? 0));
    if (stats[0] === undefined || Math.abs(Date.now() - latest) < SETTLED_AFTER)
      return null;
    const files = stats.map(
      (stat) => stat && [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs],
    );
    return [how, ...files].join(' ');
  }

  /** For the next call; where nothing can be written, that one is only slower. */
  keep(): void {
    if (!this.#isChanged || !this.#build) return;
    const temporary = `${this.#path}-${process.pid}`;
    const text = JSON.stringify({ build: this.#build, readings: this.#now });
    unlessRefused(() =>
      writeThenRename(temporary, this.#path, text, { isDurable: false }),
    );
  }
}

/** Only holdfast writes the file, and always whole. */
function isKept(value: unknown): value is Kept {
  return isObject(value) && Array.isArray(value['sources']);
}
