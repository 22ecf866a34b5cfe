import type { PlanFormatId } from '../../../settings/settings.ts';
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
  return LOCATIONS[id].some(({ pattern }) => matches(pattern, path)) && !excludes?.test(path);
}

function matches(pattern: string, path: string): boolean {
  const names = path.split('/');
  const parts = pattern.split('/');
  return (
    names.length === parts.length &&
    parts.every((part, index) =>
      part.startsWith('*') ? names[index]?.endsWith(part.slice(1)) : names[index] === part,
    )
  );
}
