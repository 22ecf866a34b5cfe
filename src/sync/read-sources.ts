import { dirname, join } from 'node:path';
import { readLocalFile } from '../detect/local-file.ts';
import { readPlan } from '../detect/plan.ts';
import type { SourceStatus } from '../detect/types.ts';
import { digestOf } from '../io/digest.ts';
import { statFingerprint } from '../io/fingerprint.ts';
import { expandGlob } from '../io/glob.ts';
import { locate, readProjectFile } from '../io/read-file.ts';
import type { Settings } from '../settings/settings.ts';
import type { SourceRecords } from '../state/store/source-records-file.ts';
import { isInArchiveFolder, isMovedToArchive } from './archive-folders.ts';
import { outlineOf } from './outline.ts';
import { isDeclaredWorkflow } from './parse-declared.ts';
import { recordOfPlan } from './source-records.ts';
import type { SourceFile, SourceFingerprint } from './types.ts';

const MAX_BYTES = 1_000_000;
const MAX_PATTERNS = 50;
const MAX_PLANS = 2_000;
/** All plans together: more would take a hook too long. */
const MAX_TOTAL_BYTES = 4_000_000;
/** Raise this whenever the plan parser changes, so that recorded plans are parsed again. */
const PARSER_VERSION = 4;

export interface ReadSourcesResult {
  sources: SourceFile[];
  /** Files that exist but were not read, with the reason. */
  problems: { path: string; why: string }[];
}

export interface ReadSourcesOptions {
  /** Plans whose fingerprint is unchanged are taken from here instead of being read. */
  sourceRecords?: SourceRecords;
  /** Reads only these plans. */
  only?: ReadonlySet<string>;
  /** The plans that runs come from: one that is not found may have been moved to an archive folder. */
  known?: ReadonlySet<string>;
}

/** Every file that may declare a workflow, with what it declares now. */
export function readSources(
  root: string,
  detect: Settings['detect'],
  { sourceRecords = {}, only, known = new Set() }: ReadSourcesOptions = {},
): ReadSourcesResult {
  const sources: SourceFile[] = [];
  const problems: ReadSourcesResult['problems'] = [];
  const exists = memoize((path) => locate(root, join(root, path)) === 'inside');

  let remaining = MAX_TOTAL_BYTES;
  const add = (kind: SourceFile['kind'], path: string): void => {
    if (kind === 'plan' && isInArchiveFolder(path)) {
      sources.push({ kind, path, reading: { state: 'finished' } });
      return;
    }
    const recorded = kind === 'plan' ? recordedPlan(root, path, exists, sourceRecords) : null;
    if (recorded !== null) {
      sources.push({ kind, path, ...recorded });
      return;
    }
    const file = readProjectFile(root, path, Math.min(remaining, MAX_BYTES));
    if (file.kind === 'absent') {
      if (kind === 'plan' && isMovedToArchive(root, path))
        sources.push({ kind, path, reading: { state: 'finished' } });
      return;
    }
    if (file.kind === 'text') remaining -= file.text.length;
    if (file.kind === 'refused') {
      problems.push({ path, why: describeRefusal(file, remaining) });
      sources.push({ kind, path, reading: { state: 'unreadable' } });
    } else if (kind === 'local-file') {
      const sections = readLocalFile(file.text);
      const readings = sections.length === 0 ? [{ state: 'none' } as const] : sections;
      const { modifiedAt } = file;
      sources.push(...readings.map((reading) => ({ kind, path, reading, modifiedAt })));
    } else {
      const { modifiedAt } = file;
      sources.push({ kind, path, modifiedAt, ...parsePlan(file, path, exists, sourceRecords) });
    }
  };

  add('local-file', detect.local_file);
  const plans =
    only === undefined
      ? findPlans(root, detect.plans)
      : [...only].filter((path) => path !== detect.local_file);
  // Plan folders are numbered, so the last ones are the newest.
  const newest = plans.toSorted().slice(-MAX_PLANS);
  if (detect.plans.length > MAX_PATTERNS) {
    problems.push({
      path: 'detect.plans',
      why: `only the first ${MAX_PATTERNS} patterns are used`,
    });
  }
  if (newest.length < plans.length) {
    problems.push({
      path: detect.plans.join(', '),
      why: `only the last ${MAX_PLANS} of ${plans.length} plans are read`,
    });
  }
  // The newest plans are read first, so that the byte limit drops the oldest; the result is in the order of paths.
  const first = { sources: sources.splice(0), problems: problems.splice(0) };
  for (const path of newest.toReversed()) add('plan', path);
  const found = new Set([detect.local_file, ...newest]);
  for (const path of known) {
    if (found.has(path)) continue;
    // A file that exists but is not read, because of a limit or a setting, is not gone.
    if (locate(root, join(root, path)) === 'absent') add('plan', path);
    else sources.push({ kind: 'plan', path, reading: { state: 'unreadable' } });
  }
  return {
    sources: [...first.sources, ...sources.toReversed()],
    problems: [...first.problems, ...problems.toReversed()],
  };
}

function describeRefusal({ why }: { why: string }, remaining: number): string {
  if (why !== 'too large') return why;
  return remaining < MAX_BYTES
    ? 'the plans together are larger than 4 MB'
    : 'the file is larger than 1 MB';
}

interface PlanRead {
  reading: SourceStatus;
  fingerprint: SourceFingerprint;
  modifiedAt?: number;
}

/** The recorded plan, if its file has not changed since. */
function recordedPlan(
  root: string,
  path: string,
  exists: (path: string) => boolean,
  sourceRecords: SourceRecords,
): PlanRead | null {
  const record = recordOfPlan(sourceRecords, path);
  // If the folder of the plans was replaced by a link out of the project, its plans are no longer read.
  if (record?.basis?.mark === undefined || !exists(dirname(dirname(path)))) return null;
  const { said: declared, basis: fingerprint } = record;
  const file = statFingerprint(`${root}/${path}`);
  const isSameFile = file !== null && fingerprint.mark === `${PARSER_VERSION} ${file.mark}`;
  return isSameFile && isDeclaredWorkflow(declared) && isStillTrue(fingerprint, exists)
    ? { reading: { state: 'active', said: declared }, fingerprint, modifiedAt: file.modifiedAt }
    : null;
}

function parsePlan(
  file: { text: string; mark: string | null },
  path: string,
  exists: (path: string) => boolean,
  sourceRecords: SourceRecords,
): PlanRead {
  const digest = `${PARSER_VERSION} ${digestOf(file.text)}`;
  const mark = file.mark === null ? {} : { mark: `${PARSER_VERSION} ${file.mark}` };
  const record = recordOfPlan(sourceRecords, path);
  if (
    record?.basis?.digest === digest &&
    isDeclaredWorkflow(record.said) &&
    isStillTrue(record.basis, exists)
  ) {
    const { mark: _outdated, ...basis } = record.basis;
    const fingerprint = { ...basis, ...mark };
    return { reading: { state: 'active', said: record.said }, fingerprint };
  }
  const lookedFor: SourceFingerprint['exists'] = {};
  const reading = readPlan(file.text, {
    path,
    exists: (name) => {
      lookedFor[name] = exists(name);
      return lookedFor[name];
    },
  });
  const outline = reading.state === 'active' ? outlineOf(file.text) : {};
  return { reading, fingerprint: { digest, exists: lookedFor, ...mark, ...outline } };
}

function isStillTrue(fingerprint: SourceFingerprint, exists: (path: string) => boolean): boolean {
  return Object.entries(fingerprint.exists).every(([path, answer]) => exists(path) === answer);
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
