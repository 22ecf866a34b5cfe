import type { SourceFingerprint, SourceFile } from './types.ts';
import type { SourceMemory } from '../state/store/source-memory-file.ts';
import { dirname, join } from 'node:path';
import { readLocalFile } from '../detect/local-file.ts';
import { readPlan } from '../detect/plan.ts';
import type { SourceStatus } from '../detect/types.ts';
import type { Settings } from '../settings/settings.ts';
import { isDeclaredWorkflow } from './merge.ts';
import { recordOfPlan } from './source-memory.ts';
import { digestOf } from '../io/digest.ts';
import { expandGlob } from '../io/glob.ts';
import { fingerprintOf } from '../io/fingerprint.ts';
import { locate, readProjectFile } from '../io/read-file.ts';

const MAX_BYTES = 1_000_000;
const MAX_PATTERNS = 50;
const MAX_PLANS = 2_000;
/** Of plans together: what one hook can read while somebody waits. */
const MAX_BYTES_IN_ALL = 4_000_000;
/** To be raised whenever plans are read in another way, so that what was remembered is read again. */
const READER = 3;

export interface ReadSourcesResult {
  sources: SourceFile[];
  /** Files that exist and were not read, with the reason, for people. */
  problems: { path: string; why: string }[];
}

export interface ReadSourcesOptions {
  /** What plans said before: one that rests on the same is not read again. */
  memory?: SourceMemory;
  /** Of the plans just these. */
  only?: ReadonlySet<string>;
}

/** Every file that may declare a workflow, with what it says now. */
export function readSources(
  root: string,
  detect: Settings['detect'],
  { memory = {}, only }: ReadSourcesOptions = {},
): ReadSourcesResult {
  const sources: SourceFile[] = [];
  const problems: ReadSourcesResult['problems'] = [];
  const exists = memoize((path) => locate(root, join(root, path)) === 'inside');

  let left = MAX_BYTES_IN_ALL;
  const add = (kind: SourceFile['kind'], path: string): void => {
    const known = kind === 'plan' ? unchanged(root, path, exists, memory) : null;
    if (known !== null) {
      sources.push({ kind, path, ...known });
      return;
    }
    const file = readProjectFile(root, path, Math.min(left, MAX_BYTES));
    if (file.kind === 'absent') return;
    if (file.kind === 'text') left -= file.text.length;
    if (file.kind === 'refused') {
      problems.push({ path, why: refusalWords(file, left) });
      sources.push({ kind, path, reading: { state: 'unreadable' } });
    } else if (kind === 'local-file') {
      const sections = readLocalFile(file.text);
      const readings = sections.length === 0 ? [{ state: 'none' } as const] : sections;
      sources.push(...readings.map((reading) => ({ kind, path, reading })));
    } else {
      sources.push({ kind, path, ...planReading(file, path, exists, memory) });
    }
  };

  add('local-file', detect.local_file);
  const plans =
    only === undefined
      ? findPlans(root, detect.plans)
      : [...only].filter((path) => path !== detect.local_file);
  // Plan folders are numbered: where there are too many, the newest count.
  const newest = plans.toSorted().slice(-MAX_PLANS);
  if (detect.plans.length > MAX_PATTERNS) {
    problems.push({
      path: 'detect.plans',
      why: `only its first ${MAX_PATTERNS} patterns are used`,
    });
  }
  if (newest.length < plans.length) {
    problems.push({
      path: detect.plans.join(', '),
      why: `of ${plans.length} plans only the last ${MAX_PLANS} are read`,
    });
  }
  const before = { sources: sources.splice(0), problems: problems.splice(0) };
  for (const path of newest.toReversed()) add('plan', path);
  return {
    sources: [...before.sources, ...sources.toReversed()],
    problems: [...before.problems, ...problems.toReversed()],
  };
}

function refusalWords({ why }: { why: string }, left: number): string {
  if (why !== 'too large') return why;
  return left < MAX_BYTES ? 'the plans before it are large' : 'it is larger than 1 MB';
}

interface PlanRead {
  reading: SourceStatus;
  basis: SourceFingerprint;
}

/** What a plan said before, where its file was not touched since. */
function unchanged(
  root: string,
  path: string,
  exists: (path: string) => boolean,
  memory: SourceMemory,
): PlanRead | null {
  const before = recordOfPlan(memory, path);
  // Where the folder of all plans was replaced by a link out of the project, they are none of ours any more.
  if (before?.basis?.mark === undefined || !exists(dirname(dirname(path)))) return null;
  const { said } = before;
  const isSame = before.basis.mark === `${READER} ${fingerprintOf(`${root}/${path}`)}`;
  return isSame && isDeclaredWorkflow(said) && holds(before.basis, exists)
    ? { reading: { state: 'active', said }, basis: before.basis }
    : null;
}

function planReading(
  { text, mark }: { text: string; mark: string | null },
  path: string,
  exists: (path: string) => boolean,
  memory: SourceMemory,
): PlanRead {
  const digest = `${READER} ${digestOf(text)}`;
  const before = recordOfPlan(memory, path);
  const marked = mark === null ? {} : { mark: `${READER} ${mark}` };
  if (
    before?.basis?.digest === digest &&
    isDeclaredWorkflow(before.said) &&
    holds(before.basis, exists)
  ) {
    const basis = { digest, exists: before.basis.exists, ...marked };
    return { reading: { state: 'active', said: before.said }, basis };
  }
  const asked: SourceFingerprint['exists'] = {};
  const reading = readPlan(text, {
    path,
    exists: (name) => {
      asked[name] = exists(name);
      return asked[name];
    },
  });
  return { reading, basis: { digest, exists: asked, ...marked } };
}

function holds({ exists: before }: SourceFingerprint, exists: (path: string) => boolean): boolean {
  return Object.entries(before).every(([path, answer]) => exists(path) === answer);
}

/** Many plans ask for the same file. */
function memoize(ask: (path: string) => boolean): (path: string) => boolean {
  const answers = new Map<string, boolean>();
  return (path) => {
    const known = answers.get(path);
    if (known !== undefined) return known;
    const answer = ask(path);
    answers.set(path, answer);
    return answer;
  };
}

function findPlans(root: string, patterns: string[]): string[] {
  const used = patterns.slice(0, MAX_PATTERNS);
  return [...new Set(used.flatMap((pattern) => expandGlob(root, pattern)))];
}
