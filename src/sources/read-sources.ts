import { checkedOutBranch, checkedOutCommit } from '../files/git.ts';
import { isAbsent } from '../files/read-file.ts';
import type { Settings } from '../settings/settings.ts';
import {
  findPlans,
  type FoundPlans,
  MAX_PATTERNS,
  MAX_PLANS,
} from './find-plans.ts';
import { readLocalFile } from './parse/local-file.ts';
import { PlanReader } from './plan-reader.ts';
import { ReadingsCache } from './readings-cache.ts';
import { SourceFiles, type SourceProblem } from './source-files.ts';
import { startedPlans } from './source-state.ts';
import type { SourceFile, SyncInput } from './types.ts';
import { WithheldSources } from './withheld-sources.ts';

interface PlansOfRuns {
  /** The plans that runs come from: one that is not found may have been moved to an archive folder. */
  known?: ReadonlySet<string>;
  /** The plans that a person started a run from, wherever they are in the project: they are read whatever they say. */
  started?: ReadonlySet<string>;
}

/**
 * Every file that may declare a workflow, with what it declares now, and why some were not read. One that is kept from agents
 * is not read at all.
 */
export function readSources(
  root: string,
  detect: Settings['detect'],
  { known = new Set(), started = new Set() }: PlansOfRuns = {},
): { sources: SourceFile[]; problems: SourceProblem[] } {
  const found = findPlans(root, detect);
  const paths = [
    ...found.paths.filter((path) => !started.has(path)),
    ...started,
  ].filter((path) => path !== detect.local_file);

  const files = new SourceFiles(root);
  const cache = new ReadingsCache(root);
  const withheld = new WithheldSources(root);
  const reader = new PlanReader(files, cache, withheld, {
    formats: detect.formats,
    isOwn: found.isOwn,
    known,
    started,
  });
  const local: SourceFile[] = withheld.has(detect.local_file)
    ? [{ kind: 'local-file', path: detect.local_file, state: 'unreadable' }]
    : cache.readingOf([detect.local_file], 'local', () =>
        readLocal(files, detect.local_file),
      );
  // The newest plans are read first, so that the byte limit drops the oldest; the result is in the order of paths.
  const plans = paths.toReversed().flatMap((path) => reader.read(path));
  const listed = new Set([detect.local_file, ...paths]);
  const unlisted = [...known].filter((path) => !listed.has(path));
  plans.push(...readUnlisted(root, unlisted, reader));
  cache.save();

  withheld.report(files);
  addLimitProblems(files, detect.plans, found);
  return {
    sources: [...local, ...plans.toReversed()],
    problems: files.problems.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
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
  if (sections.length === 0)
    return [{ kind: 'local-file', path, modifiedAt, state: 'none' }];
  return sections.map((section) => ({
    kind: 'local-file',
    path,
    modifiedAt,
    ...section,
  }));
}

/** Plans of runs that no pattern matches. One that exists but is not read, because of a limit or a setting, is not gone. */
function readUnlisted(
  root: string,
  paths: readonly string[],
  reader: PlanReader,
): SourceFile[] {
  return paths.flatMap((path): SourceFile[] =>
    isAbsent(root, path)
      ? reader.read(path)
      : [{ kind: 'plan', path, state: 'unreadable' }],
  );
}

function addLimitProblems(
  files: SourceFiles,
  patterns: readonly string[],
  { ownCount }: FoundPlans,
): void {
  if (patterns.length > MAX_PATTERNS)
    files.addProblem(
      'detect.plans',
      `only the first ${MAX_PATTERNS} patterns are used`,
    );
  if (ownCount > MAX_PLANS)
    files.addProblem(
      patterns.join(', '),
      `only the last ${MAX_PLANS} of ${ownCount} plans are read`,
    );
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
  const known = new Set<string>();
  for (const { state } of runs) {
    const { kind, path } = state.source ?? {};
    if (kind === 'plan' && path !== undefined) known.add(path);
  }
  const { sources, problems } = readSources(root, settings.detect, {
    known,
    started: startedPlans(runs),
  });
  const head = checkedOutBranch(root) ?? checkedOutCommit(root) ?? '';
  const input = { sources, runs, sourceRecords, head, session, now };
  return { input, problems };
}
