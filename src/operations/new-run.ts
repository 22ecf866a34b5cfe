import type { RunState } from '../state/types.ts';
import { findTemplate } from '../workflow/template/find-template.ts';
import { startTemplateRun } from '../workflow/template-run.ts';
import type { OperationContext } from './open-project.ts';

/** A run with a single phase and no template. */
export function newRun(context: OperationContext, workflow: string): RunState {
  return {
    workflow,
    workflow_type: 'custom',
    phase: { current: 1, total: 1, name: '', status: 'in_progress' },
    required_reading: [],
    created_at: context.now.toISOString(),
    status: 'in_progress',
    source: { kind: 'cli' },
    adopted: true,
  };
}

/** A run driven by a template, which is found by name or path. */
export function newTemplateRun(
  context: OperationContext,
  nameOrPath: string,
  summary: string | undefined,
): RunState {
  const { template, file } = findTemplate(context.root, context.cwd, nameOrPath);
  return {
    ...startTemplateRun(template, summary, context.now),
    source: { kind: 'template', path: file },
    adopted: true,
  };
}
