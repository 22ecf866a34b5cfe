import type { RunState } from '../state/types.ts';
import { findTemplate } from '../workflow/template/find-template.ts';
import { startTemplateRun } from '../workflow/template-run.ts';
import type { OperationContext } from './context.ts';

/** A run of one phase, which has a name and no template. */
export function newRun(desk: OperationContext, workflow: string): RunState {
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
  desk: OperationContext,
  nameOrPath: string,
  summary: string | undefined,
): RunState {
  const { template, file } = findTemplate(desk.root, desk.cwd, nameOrPath);
  return {
    ...startTemplateRun(template, summary, desk.now),
    source: { kind: 'template', path: file },
    adopted: true,
  };
}
