import { join } from 'node:path';
import { formatOf } from '../detect/formats/all-formats.ts';
import { readLocalFile } from '../detect/local-file.ts';
import type { Refusal } from '../errors/refusal.ts';
import type { SourceProblem } from '../errors/sources.ts';
import { expandGlob, matchesGlob } from '../io/glob.ts';
import { locate, readProjectFile, type ReadResult } from '../io/read-file.ts';
import type { Settings } from '../settings/settings.ts';
import type { SourceRecords } from '../state/store/read-records.ts';
import { isInArchiveFolder, pathInArchive } from './archive-folders.ts';
import { CompanionFiles, findFormatPlans } from './format-plans.ts';
import { parsePlan, recordedPlan, type PlanParser } from './read-plan.ts';
import { ANY_PLAN, type SourceFile, type SyncInput } from './types.ts';
import type { LivenessContext } from '../sessions/holder.ts';
import { startedPlans } from './source-state.ts';

const MAX_BYTES = 1_000_000;
const MAX_PATTERNS = 50;
const MAX_PLANS = 2_000;
/** All plans together: more would take a hook too long. */
const MAX_TOTAL_BYTES = 4_000_000;

export interface ReadSourcesResult {
  sources: SourceFile[];
  /** Files that exist but were not read, with the reason. */
  problems: SourceProblem[];
}

export interface ReadSourcesOptions {
  /** Plans whose fingerprint is unchanged are taken from here instead of being read. */
  sourceRecords?: SourceRecords;
  /** Reads only these plans. */
  only?: ReadonlySet<string>;
  /** The plans that runs come from: one that is not found may have been moved to an archive folder. */
  known?: ReadonlySet<string>;
  /** The plans that a person started a run from, wherever they are in the project: they are read whatever they say. */
  started?: ReadonlySet<string>;
}

/** Every file that may declare a workflow, with what it declares now. */
export function readSources(
  root: string,
  detect: Settings['detect'],
  { sourceRecords = {}, only, known = new Set(), started = new Set() }: ReadSourcesOptions = {},
): ReadSourcesResult {
  const sources: SourceFile[] = [];
  const problems: ReadSourcesResult['problems'] = [];
  const exists = memoize((path) => locate(root, join(root, path)) === 'inside');
  const companions = new CompanionFiles(root);
  const patterns = detect.plans.slice(0, MAX_PATTERNS);
  const isOwnPlan = (path: string): boolean =>
    patterns.some((pattern) => matchesGlob(path, pattern));

  let remaining = MAX_TOTAL_BYTES;
  const read = (path: string): ReadResult => {
    const file = readProjectFile(root, path, Math.min(remaining, MAX_BYTES));
    if (file.kind === 'text') remaining -= file.text.length;
    if (file.kind === 'refused') problems.push({ path, why: refusalOf(file.why, remaining) });
    return file;
  };
  const addLocalFile = (path: string): void => {
    const kind = 'local-file';
    const file = read(path);
    if (file.kind === 'absent') return;
    if (file.kind === 'refused') {
      sources.push({ kind, path, reading: { state: 'unreadable' } });
      return;
    }
    const sections = readLocalFile(file.text);
    const readings = sections.length === 0 ? [{ state: 'none' } as const] : sections;
    const { modifiedAt } = file;
    sources.push(...readings.map((reading) => ({ kind, path, reading, modifiedAt }) as const));
  };
  const addPlan = (path: string): void => {
    const kind = 'plan';
    const isOwn = isOwnPlan(path);
    const format = isOwn ? undefined : formatOf(path, detect.formats);
    const isStarted = started.has(path);
    if (format === undefined && !isStarted && isInArchiveFolder(path)) {
      sources.push({ kind, path, reading: { state: 'finished' } });
      return;
    }
    const parser: PlanParser = {
      path,
      format,
      isOwn,
      isStarted,
      companions,
      exists,
      sourceRecords,
    };
    const formatId: SourceFile['format'] =
      format?.id ?? (isStarted && !isOwn ? ANY_PLAN : undefined);
    const ofFormat = formatId && { format: formatId };
    const recorded = recordedPlan(root, parser);
    if (recorded !== null) {
      sources.push({ kind, path, ...ofFormat, ...recorded });
      return;
    }
    const file = read(path);
    if (file.kind === 'text') {
      const { modifiedAt } = file;
      sources.push({ kind, path, modifiedAt, ...ofFormat, ...parsePlan(file, parser) });
    } else if (file.kind === 'refused') {
      sources.push({ kind, path, reading: { state: 'unreadable' } });
    } else {
      // Only a plan that was there before can have been moved.
      const wasThere =
        known.has(path) || only?.has(path) === true || Object.hasOwn(sourceRecords, path);
      const movedTo = wasThere ? pathInArchive(root, path) : null;
      if (movedTo !== null) sources.push({ kind, path, movedTo, reading: { state: 'finished' } });
    }
  };

  addLocalFile(detect.local_file);
  const plans =
    only === undefined
      ? findPlans(root, detect.plans)
      : [...only].filter((path) => path !== detect.local_file);
  // Plan folders are numbered, so the last ones are the newest.
  const ownPlans = plans.toSorted().slice(-MAX_PLANS);
  if (detect.plans.length > MAX_PATTERNS) {
    problems.push({
      path: 'detect.plans',
      why: { kind: 'too_many_patterns', max: MAX_PATTERNS },
    });
  }
  if (ownPlans.length < plans.length) {
    problems.push({
      path: detect.plans.join(', '),
      why: { kind: 'too_many_plans', max: MAX_PLANS, found: plans.length },
    });
  }
  const otherPlans = (only === undefined ? findFormatPlans(root, detect.formats) : [])
    .filter((path) => !isOwnPlan(path))
    .slice(-MAX_PLANS);
  const startedFrom = [...started].filter(
    (path) => path !== detect.local_file && (only?.has(path) ?? true),
  );
  const newest = [
    ...[...otherPlans, ...ownPlans].filter((path) => !started.has(path)),
    ...startedFrom,
  ];
  // The newest plans are read first, so that the byte limit drops the oldest; the result is in the order of paths.
  const first = { sources: sources.splice(0), problems: problems.splice(0) };
  for (const path of newest.toReversed()) addPlan(path);
  const found = new Set([detect.local_file, ...newest]);
  for (const path of known) {
    if (found.has(path)) continue;
    // A file that exists but is not read, because of a limit or a setting, is not gone.
    if (locate(root, join(root, path)) === 'absent') addPlan(path);
    else sources.push({ kind: 'plan', path, reading: { state: 'unreadable' } });
  }
  return {
    sources: [...first.sources, ...sources.toReversed()],
    problems: [...first.problems, ...problems.toReversed()],
  };
}

function refusalOf(why: Refusal, remaining: number): SourceProblem['why'] {
  if (why !== 'too large') return { kind: 'refused', why };
  return remaining < MAX_BYTES
    ? { kind: 'plans_too_large', megabytes: MAX_TOTAL_BYTES / 1_000_000 }
    : { kind: 'file_too_large', megabytes: MAX_BYTES / 1_000_000 };
}

/** Many plans mention the same file. */
function memoize(check: (path: string) => boolean): (path: string) => boolean {
  const answers = new Map<string, boolean>();
  return (path) => {
    const cached = answers.get(path);
    if (cached !== undefined) return cached;
    const answer = check(path);
    answers.set(path, answer);
    return answer;
  };
}

function findPlans(root: string, patterns: string[]): string[] {
  const used = patterns.slice(0, MAX_PATTERNS);
  return [...new Set(used.flatMap((pattern) => expandGlob(root, pattern)))];
}

/** The part of every entry point's context that a sync needs. */
export interface SyncContext extends LivenessContext {
  root: string;
  settings: Pick<Settings, 'detect'>;
  session: string | null;
}

/** Runs and source records from one reading of the store or from a transaction. */
export type StoredForSync = Pick<SyncInput, 'runs' | 'sourceRecords'>;

/** Reads the sources of the project and combines them with what is stored. */
export function readSyncInput(
  { root, settings, session, now, hostname, checkout, seenAt }: SyncContext,
  { runs, sourceRecords }: StoredForSync,
): { input: SyncInput; problems: ReadSourcesResult['problems'] } {
  const known = new Set(
    runs.flatMap(({ state: { source } }) => (source?.kind === 'plan' ? (source.path ?? []) : [])),
  );
  const started = startedPlans(runs);
  const { sources, problems } = readSources(root, settings.detect, {
    sourceRecords,
    known,
    started,
  });
  return {
    input: { sources, runs, sourceRecords, session, now, hostname, checkout, seenAt },
    problems,
  };
}
