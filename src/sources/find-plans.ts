import { existsSync } from 'node:fs';
import { expandGlob, matchesGlob } from '../files/read-file.ts';
import type { PlanFormatId, Settings } from '../settings/settings.ts';
import { FORMATS } from './parse/formats.ts';
import type { PlanFormat } from './parse/plan-format.ts';

/** Of the patterns in the settings, so that a project cannot keep a hook busy with looking for plans. */
export const MAX_PATTERNS = 50;
/** Of holdfast's own plans, and again of those of other tools. */
export const MAX_PLANS = 2_000;

export interface FoundPlans {
  /** To be read from the last to the first, so that limits leave out the oldest. */
  paths: string[];
  /** How many plans the patterns of the settings match, with those that are too many. */
  ownCount: number;
  /** Whether a path matches one of the patterns of the settings, so that the plan is in holdfast's own format. */
  isOwn: (path: string) => boolean;
}

/** The paths in the project that may be plans. */
export function findPlans(
  root: string,
  detect: Pick<Settings['detect'], 'plans' | 'formats'>,
): FoundPlans {
  const patterns = detect.plans.slice(0, MAX_PATTERNS);
  const matching = new Set(
    patterns.flatMap((pattern) => expandGlob(root, pattern)),
  );
  const isOwn = (path: string): boolean =>
    matching.has(path) ||
    patterns.some((pattern) => matchesGlob(path, pattern));

  const ofTools = findToolPlans(root, detect.formats).filter(
    (path) => !isOwn(path),
  );
  // Plan folders are numbered, so the last ones are the newest.
  const own = [...matching].toSorted();
  const paths = [...ofTools.slice(-MAX_PLANS), ...own.slice(-MAX_PLANS)];
  return { paths, ownCount: own.length, isOwn };
}

/**
 * The plans of other tools, to be read from the last to the first: a tool's own in the order of their names, which
 * start with a number or a date where it gives them one. The tool with the most plans comes first, so that the limits of
 * a hook leave out its oldest plans.
 */
function findToolPlans(
  root: string,
  enabled: readonly PlanFormatId[],
): string[] {
  const plansByTool: string[][] = [];
  for (const id of new Set(enabled))
    plansByTool.push(plansOfTool(root, FORMATS[id]));
  return plansByTool.toSorted((one, other) => other.length - one.length).flat();
}

function plansOfTool(
  root: string,
  { patterns, excludes }: PlanFormat,
): string[] {
  const paths: string[] = [];
  for (const pattern of patterns) {
    // A project that does not use a tool costs one check of its folder.
    const folder = pattern.replace(/\/\*.*/, '');
    if (existsSync(`${root}/${folder}`))
      paths.push(...expandGlob(root, pattern));
  }
  return paths.filter((path) => !excludes?.test(path)).toSorted();
}
