import { readLocalFile } from '../detect/local-file.ts';
import { readPlan } from '../detect/plan.ts';
import type { Settings } from '../settings/settings.ts';
import type { SourceFile } from '../state/sync.ts';
import { expandGlob } from './glob.ts';
import { placeOf, readProjectFile } from './read-file.ts';
import { join } from 'node:path';

const MAX_BYTES = 1_000_000;
const MAX_PLANS = 2_000;

export interface SourcesRead {
  sources: SourceFile[];
  /** Files that exist and were not read, with the reason, for people. */
  problems: { path: string; why: string }[];
}

/** Every file that may declare a workflow, with what it says now; with `only`, of the plans just those. */
export function readSources(
  root: string,
  detect: Settings['detect'],
  only?: ReadonlySet<string>,
): SourcesRead {
  const sources: SourceFile[] = [];
  const problems: SourcesRead['problems'] = [];
  const exists = (path: string): boolean => placeOf(root, join(root, path)) === 'inside';

  const add = (kind: SourceFile['kind'], path: string): void => {
    const file = readProjectFile(root, path, MAX_BYTES);
    if (file.kind === 'absent') return;
    if (file.kind === 'refused') {
      problems.push({ path, why: file.why === 'too large' ? 'it is larger than 1 MB' : file.why });
      sources.push({ kind, path, reading: { state: 'unreadable' } });
      return;
    }
    const reading =
      kind === 'plan' ? readPlan(file.text, { path, exists }) : readLocalFile(file.text);
    sources.push({ kind, path, reading });
  };

  add('local-file', detect.local_file);
  const plans =
    only === undefined
      ? findPlans(root, detect.plans)
      : [...only].filter((path) => path !== detect.local_file);
  // Plan folders are numbered: where there are too many, the newest count.
  const newest = plans.toSorted().slice(-MAX_PLANS);
  if (newest.length < plans.length) {
    problems.push({
      path: detect.plans.join(', '),
      why: `of ${plans.length} plans only the last ${MAX_PLANS} are read`,
    });
  }
  for (const path of newest) add('plan', path);
  return { sources, problems };
}

function findPlans(root: string, patterns: string[]): string[] {
  return [...new Set(patterns.flatMap((pattern) => expandGlob(root, pattern)))];
}
