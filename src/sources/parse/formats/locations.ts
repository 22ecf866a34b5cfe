import type { PlanFormatId } from '../../../settings/settings.ts';

export interface PlanLocation {
  /** If this does not exist, the project does not use the tool; checked before the pattern is expanded. */
  root: string;
  pattern: string;
}

/** Where the plans of each tool are. */
export const LOCATIONS: Readonly<Record<PlanFormatId, readonly PlanLocation[]>> = {
  'spec-kit': at('specs/*/tasks.md'),
  openspec: at('openspec/changes/*/tasks.md'),
  'planning-with-files': at('task_plan.md', '.planning/task_plan.md', '.planning/*/task_plan.md'),
  gsd: at('.planning/STATE.md'),
  superpowers: at('docs/superpowers/plans/*.md', 'docs/plans/*.md'),
  kiro: at('.kiro/specs/*/tasks.md'),
};

function at(...patterns: string[]): PlanLocation[] {
  return patterns.map((pattern) => ({ root: pattern.replace(/\/\*.*/, ''), pattern }));
}

/** The folder of a file, both relative to the project; empty for the project itself. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The name of a file without its extension. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.\w{1,10}$/, '');
}

/** The name of the folder that a plan is in. */
export function nameOf(path: string): string {
  const folder = folderOf(path);
  return folder.slice(folder.lastIndexOf('/') + 1);
}

/** The files of these names beside a plan. */
export function fileIn(...names: string[]): (path: string) => string[] {
  return (path) => names.map((name) => path.replace(/[^/]*$/, name));
}
