import { existsSync } from 'node:fs';
import { withholder } from '../files/context-files.ts';
import type { SourceFile } from './types.ts';

/** What people and agents call the file that their plan is in. No run is made of one until somebody says so. */
const PLAN_FILES = [
  'PLAN.md',
  'IMPLEMENTATION_PLAN.md',
  'TODO.md',
  'tasks/todo.md',
  'HANDOFF.md',
];

/** A memory bank says where the work stands in prose, so it is something to read. */
const MEMORY_BANK = ['memory-bank/activeContext.md', 'memory-bank/progress.md'];

interface OfferedFiles {
  plans: string[];
  reading: string[];
}

/** The files of the project that a run can be started from, or that are worth reading in one. */
export function offeredFiles(
  root: string,
  sources: readonly SourceFile[],
): OfferedFiles {
  const isWithheld = withholder(root);
  const read = new Set(sources.map(({ path }) => path));
  const isOffered = (path: string): boolean =>
    !read.has(path) && existsSync(`${root}/${path}`) && !isWithheld(path);
  return {
    plans: PLAN_FILES.filter(isOffered),
    reading: MEMORY_BANK.filter(isOffered),
  };
}

/** The commands that begin with them. */
export function offerLines({ plans, reading }: OfferedFiles): string[] {
  const lines = plans.map(
    (path) => `${path}: \`holdfast start --from ${path}\` makes a run of it`,
  );
  if (reading.length > 0) {
    const options = reading.map((path) => `--read ${path}`).join(' ');
    lines.push(
      `${reading.join(', ')}: \`holdfast start "<name>" ${options}\` has them read`,
    );
  }
  return lines;
}
