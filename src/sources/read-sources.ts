import { join, posix } from 'node:path';
import { readStartedPlan } from './parse/any-plan.ts';
import { formatOf, FORMATS, isPlanOf } from './parse/formats/all-formats.ts';
import { readFormat } from './parse/formats/read-format.ts';
import { readLocalFile } from './parse/local-file.ts';
import { readPlan } from './parse/plan.ts';
import type { SourceStatus } from './parse/types.ts';
import { checkedOutBranch, checkedOutCommit } from '../files/git.ts';
import {
  expandGlob,
  matchesGlob,
  locate,
  readProjectFile,
  type ReadResult,
  type Refusal,
} from '../files/read-file.ts';
import type { Settings, PlanFormatId } from '../settings/settings.ts';
import { KeptReadings } from './kept-readings.ts';
import { ANY_PLAN, type SourceFile, type SyncInput } from './types.ts';
import { startedPlans } from './source-state.ts';
import { existsSync } from 'node:fs';
import { LOCATIONS } from './parse/formats/locations.ts';
import type { PlanFormat } from './parse/formats/types.ts';

const MAX_BYTES = 1_000_000;
const MAX_PATTERNS = 50;
const MAX_PLANS = 2_000;
/** All plans together: more would take a hook too long. */
const MAX_TOTAL_BYTES = 4_000_000;

/** A source that was not read, or the setting because of which some were not. */
interface SourceProblem {
  path: string;
  message: string;
}

function notRead(path: string, why: string): SourceProblem {
  return { path, message: `${path} was not read: ${why}` };
}

interface ReadSourcesOptions {
  /** Reads only these plans. */
  only?: ReadonlySet<string>;
  /** The plans that runs come from: one that is not found may have been moved to an archive folder. */
  known?: ReadonlySet<string>;
  /** The plans that a person started a run from, wherever they are in the project: they are read whatever they say. */
  started?: ReadonlySet<string>;
}

/** Every file that may declare a workflow, with what it declares now, and why some were not read. */
export function readSources(
  root: string,
  detect: Settings['detect'],
  { only, known = new Set(), started = new Set() }: ReadSourcesOptions = {},
): { sources: SourceFile[]; problems: SourceProblem[] } {
  const patterns = detect.plans.slice(0, MAX_PATTERNS);
  const project: Project = {
    root,
    detect,
    files: new BoundedFiles(root),
    companions: new CompanionFiles(root),
    kept: new KeptReadings(root),
    exists: onceEach((path) => locate(root, join(root, path)) === 'inside'),
    isOwnPlan: (path) => patterns.some((pattern) => matchesGlob(path, pattern)),
    started,
    known,
  };
  const own = [...(only ?? new Set(patterns.flatMap((pattern) => expandGlob(root, pattern))))];
  const others = only === undefined ? findFormatPlans(root, detect.formats) : [];
  // Plan folders are numbered, so the last ones are the newest.
  const found = [
    ...others.filter((path) => !project.isOwnPlan(path)).slice(-MAX_PLANS),
    ...own.toSorted().slice(-MAX_PLANS),
  ];
  const paths = [...found.filter((path) => !started.has(path)), ...started].filter(
    (path) => path !== detect.local_file && (only?.has(path) ?? true),
  );
  const local = readLocalSource(project, detect.local_file);
  const problems = project.files.problems.splice(0);
  if (detect.plans.length > MAX_PATTERNS)
    problems.push(notRead('detect.plans', `only the first ${MAX_PATTERNS} patterns are used`));
  if (own.length > MAX_PLANS) {
    const why = `only the last ${MAX_PLANS} of ${own.length} plans are read`;
    problems.push(notRead(detect.plans.join(', '), why));
  }
  // The newest plans are read first, so that the byte limit drops the oldest; the result is in the order of paths.
  const read = paths.toReversed().flatMap((path) => readPlanSource(project, path) ?? []);
  const seen = new Set([detect.local_file, ...paths]);
  const missed = [...known].filter((path) => !seen.has(path));
  const rest = missed.flatMap((path): SourceFile | never[] =>
    // A file that exists but is not read, because of a limit or a setting, is not gone.
    locate(root, join(root, path)) === 'absent'
      ? (readPlanSource(project, path) ?? [])
      : { kind: 'plan', path, reading: { state: 'unreadable' } },
  );
  if (only === undefined) project.kept.keep();
  return {
    sources: [...local, ...[...read, ...rest].toReversed()],
    problems: [...problems, ...project.files.problems.toReversed()],
  };
}

interface Project {
  root: string;
  detect: Settings['detect'];
  files: BoundedFiles;
  companions: CompanionFiles;
  kept: KeptReadings;
  exists: (path: string) => boolean;
  isOwnPlan: (path: string) => boolean;
  started: ReadonlySet<string>;
  known: ReadonlySet<string>;
}

function onceEach(ask: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const answer = known.get(path) ?? ask(path);
    known.set(path, answer);
    return answer;
  };
}

/** Reads files of the project as long as all of them together are not too large. */
class BoundedFiles {
  readonly problems: SourceProblem[] = [];
  #remaining = MAX_TOTAL_BYTES;

  constructor(private readonly root: string) {}

  read(path: string): ReadResult {
    const file = readProjectFile(this.root, path, Math.min(this.#remaining, MAX_BYTES));
    if (file.kind === 'text') this.#remaining -= file.text.length;
    if (file.kind === 'refused') this.problems.push(notRead(path, this.#reason(file.why)));
    return file;
  }

  #reason(why: Refusal): string {
    if (why !== 'too large') return why;
    return this.#remaining < MAX_BYTES
      ? `the plans together are larger than ${MAX_TOTAL_BYTES / 1_000_000} MB`
      : `the file is larger than ${MAX_BYTES / 1_000_000} MB`;
  }
}

/** One source for each section; a file without one is still there. */
function readLocalSource({ files, kept }: Project, path: string): SourceFile[] {
  const kind = 'local-file';
  const file = files.read(path);
  if (file.kind === 'absent') return [];
  if (file.kind === 'refused') return [{ kind, path, reading: { state: 'unreadable' } }];
  const sections = kept.of(
    path,
    file.text,
    () => false,
    () => readLocalFile(file.text),
  );
  const readings = sections.length === 0 ? [{ state: 'none' } as const] : sections;
  return readings.map((reading) => ({ kind, path, reading, modifiedAt: file.modifiedAt }));
}

function readPlanSource(project: Project, path: string): SourceFile | null {
  const { root, detect, started } = project;
  const isOwn = project.isOwnPlan(path);
  const isStarted = started.has(path);
  const format = isOwn ? undefined : formatOf(path, detect.formats);
  const plan = { kind: 'plan', path } as const;
  if (format === undefined && !isStarted && isInArchiveFolder(path))
    return { ...plan, reading: { state: 'finished' } };
  const file = project.files.read(path);
  if (file.kind === 'refused') return { ...plan, reading: { state: 'unreadable' } };
  if (file.kind === 'absent') {
    const movedTo = isStarted || project.known.has(path) ? pathInArchive(root, path) : null;
    return movedTo === null ? null : { ...plan, movedTo, reading: { state: 'finished' } };
  }
  const { text, modifiedAt } = file;
  const companions = project.companions.read(format?.companions?.(path) ?? []);
  const all = [isStarted, isOwn, format?.id, text, ...companions.values()].join('\0');
  const reading = project.kept.of(path, all, project.exists, (exists): SourceStatus => {
    const source = { path, text, companions, exists };
    if (isStarted) return readStartedPlan(source, isOwn ? 'own' : format);
    return format ? readFormat(format, source) : readPlan(text, source);
  });
  const formatId = format?.id ?? (isStarted && !isOwn ? ANY_PLAN : undefined);
  return { ...plan, modifiedAt, reading, ...(formatId && { format: formatId }) };
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
    runs.flatMap(({ state: { source } }) => (source?.kind === 'plan' ? (source.path ?? []) : [])),
  );
  const started = startedPlans(runs);
  const { sources, problems } = readSources(root, settings.detect, { known, started });
  const head = checkedOutBranch(root) ?? checkedOutCommit(root) ?? '';
  return { input: { sources, runs, sourceRecords, head, session, now }, problems };
}

const ARCHIVE_NAMES = new Set(['complete', 'completed', 'done', 'archive', 'archived', 'finished']);
const isArchive = (folder: string): boolean =>
  ARCHIVE_NAMES.has(posix.basename(folder).toLowerCase());

/** True for a plan in a folder such as `CLAUDE/Plan/Completed/001-x/`. */
function isInArchiveFolder(planPath: string): boolean {
  return isArchive(posix.join(planPath, '../..'));
}

/** Where the plan is now, if it was moved to an archive folder beside it, its folder or the folder of all plans. */
function pathInArchive(root: string, planPath: string): string | null {
  const folder = posix.dirname(planPath);
  const [name, file] = [posix.basename(folder), posix.basename(planPath)];
  const archivesIn = (path: string): string[] =>
    expandGlob(root, posix.join(folder, path, '*')).filter(isArchive);
  // OpenSpec puts the date in front of the name of a change that it archives.
  const isMoved = (path: string): boolean => {
    const entry = posix.basename(path);
    return entry === name || entry.replace(/^\d{4}-\d\d-\d\d-/, '') === name;
  };
  const paths = [
    ...['..', '../..']
      .flatMap(archivesIn)
      .flatMap((archive) => expandGlob(root, `${archive}/*${name}`))
      .filter(isMoved)
      .map((path) => `${path}/${file}`),
    // A plan that shares its folder with others is moved without the folder.
    ...archivesIn('').map((archive) => `${archive}/${file}`),
  ];
  return paths.find((path) => locate(root, `${root}/${path}`) === 'inside') ?? null;
}

/** A roadmap or ledger is smaller; a larger one counts as absent. */
const MAX_COMPANION_BYTES = 200_000;
const MAX_TOTAL_COMPANION_BYTES = 2_000_000;

/**
 * The plans of other tools, to be read from the last to the first. A project that does not use a tool costs one check of
 * its folder. The tool with the most plans comes first, so that the limits of a hook leave out its oldest plans.
 */
function findFormatPlans(root: string, enabled: readonly PlanFormatId[]): string[] {
  return [...new Set(enabled)]
    .map((id) => plansOf(root, FORMATS[id]))
    .toSorted((one, other) => other.length - one.length)
    .flat();
}

/** In the order of their names, which start with a number or a date where a tool gives them one. */
function plansOf(root: string, format: PlanFormat): string[] {
  const used = LOCATIONS[format.id].filter((location) => existsSync(`${root}/${location.root}`));
  return used
    .flatMap(({ pattern }) => expandGlob(root, pattern))
    .filter((path) => isPlanOf(format, path))
    .toSorted();
}

/** Reads the files that plans depend on, each once. */
export class CompanionFiles {
  readonly #texts = new Map<string, string | undefined>();
  #remaining = MAX_TOTAL_COMPANION_BYTES;

  constructor(private readonly root: string) {}

  read(paths: readonly string[]): ReadonlyMap<string, string> {
    return new Map(
      paths.flatMap((path) => {
        const text = this.#text(path);
        return text === undefined ? [] : [[path, text] as const];
      }),
    );
  }

  #text(path: string): string | undefined {
    if (!this.#texts.has(path)) {
      const limit = Math.min(this.#remaining, MAX_COMPANION_BYTES);
      const file = readProjectFile(this.root, path, limit);
      if (file.kind === 'text') this.#remaining -= file.text.length;
      this.#texts.set(path, file.kind === 'text' ? file.text : undefined);
    }
    return this.#texts.get(path);
  }
}
