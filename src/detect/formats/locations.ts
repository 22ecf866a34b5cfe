import type { PlanFormatId } from '../../settings/settings.ts';

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
