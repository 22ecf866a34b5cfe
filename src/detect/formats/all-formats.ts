import type { PlanFormatId } from '../../settings/settings.ts';
import { gsd } from './gsd.ts';
import { kiro } from './kiro.ts';
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

/** Whether a path, relative to the project, is where the tool keeps its plans. */
export function isPlanOf({ locations, excludes }: PlanFormat, path: string): boolean {
  return !excludes?.test(path) && locations.some(({ pattern }) => toRegExp(pattern).test(path));
}

function toRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]+')}$`);
}
