import type { PlanFormatId } from '../../settings/settings.ts';

export interface PlanLocation {
  /** If this does not exist, the project does not use the tool; checked before the pattern is expanded. */
  root: string;
  pattern: string;
}

/** Where the plans of each tool are. */
export const LOCATIONS: Readonly<Record<PlanFormatId, readonly PlanLocation[]>> = {
  'spec-kit': [{ root: 'specs', pattern: 'specs/*/tasks.md' }],
  openspec: [{ root: 'openspec/changes', pattern: 'openspec/changes/*/tasks.md' }],
  'planning-with-files': [
    { root: 'task_plan.md', pattern: 'task_plan.md' },
    { root: '.planning', pattern: '.planning/task_plan.md' },
    { root: '.planning', pattern: '.planning/*/task_plan.md' },
  ],
  gsd: [{ root: '.planning', pattern: '.planning/STATE.md' }],
  superpowers: [
    { root: 'docs/superpowers/plans', pattern: 'docs/superpowers/plans/*.md' },
    { root: 'docs/plans', pattern: 'docs/plans/*.md' },
  ],
  kiro: [{ root: '.kiro/specs', pattern: '.kiro/specs/*/tasks.md' }],
};
