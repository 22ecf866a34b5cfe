import type { PlanFormatId } from '../../settings/settings.ts';
import { gsd } from './gsd.ts';
import { kiro } from './kiro.ts';
import { LOCATIONS } from './locations.ts';
import { openSpec } from './openspec.ts';
import { planningWithFiles } from './planning-with-files.ts';
import { specKit } from './spec-kit.ts';
import { superpowers } from './superpowers.ts';
import type { PlanFormat } from './types.ts';

export const FORMATS: Readonly<Record<PlanFormatId, PlanFormat>> = {
  'spec-kit': specKit,
  openspec: openSpec,
  'planning-with-files': planningWithFiles,
  gsd,
  superpowers,
  kiro,
};

/** The format of the plan at a path, among those that are turned on. */
export function formatOf(path: string, enabled: readonly PlanFormatId[]): PlanFormat | undefined {
  return enabled.map((id) => FORMATS[id]).find((format) => isPlanOf(format, path));
}

/** Whether a path, relative to the project, is where the tool keeps its plans. */
export function isPlanOf({ id, excludes }: PlanFormat, path: string): boolean {
  const isAtPlace = LOCATIONS[id].some(
    ({ root, pattern }) => path.startsWith(root) && toRegExp(pattern).test(path),
  );
  return isAtPlace && excludes?.test(path) !== true;
}

const expressions = new Map<string, RegExp>();

function toRegExp(pattern: string): RegExp {
  const known = expressions.get(pattern);
  if (known) return known;
  const source = pattern.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]+');
  const expression = new RegExp(`^${source}$`);
  expressions.set(pattern, expression);
  return expression;
}
