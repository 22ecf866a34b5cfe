import type { RunState } from '../state/types.ts';
import { findTemplate } from '../workflow/find-template.ts';
import { beginTemplateRun } from '../workflow/run.ts';
import type { Desk } from './desk.ts';

/** A run of one phase, which has a name and no template. */
export function newRun(desk: Desk, workflow: string): RunState {
  return {
    workflow,
    workflow_type: 'custom',
    phase: { current: 1, total: 1, name: '', status: 'in_progress' },
    required_reading: [],
    created_at: desk.now.toISOString(),
    status: 'in_progress',
    source: { kind: 'cli' },
    adopted: true,
  };
}

/** A run that a template drives, found by name or path. */
export function newTemplateRun(
  desk: Desk,
  nameOrPath: string,
  summary: string | undefined,
): RunState {
  const { template, file } = findTemplate(desk.root, desk.cwd, nameOrPath);
  return {
    ...beginTemplateRun(template, summary, desk.now),
    source: { kind: 'template', path: file },
    adopted: true,
  };
}
