import { join } from 'node:path';
import { createHookContext, type HookContext, type HookInput } from '../../../src/hooks/context.ts';
import { findProjectRoot } from '../../../src/files/environment.ts';
import type { Project } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';

export interface HookFields extends Partial<HookInput> {
  environment?: Record<string, string>;
  now?: Date;
  note?: (problem: string) => void;
}

/** The context of a hook call of a client that was launched in the project, with a configuration folder of its own beside it. */
export function hookContext(project: Project, fields: HookFields): HookContext {
  const { environment, now = NOW, note = () => undefined, ...input } = fields;
  const cwd = input.cwd ?? project.root;
  return createHookContext({
    input: { event: 'SessionStart', session: 's1', cwd, raw: {}, ...input },
    root: cwd === project.root ? cwd : findProjectRoot(cwd, project.outside),
    isFolderGiven: false,
    environment: {
      CLAUDE_CONFIG_DIR: join(project.outside, 'config'),
      CLAUDE_PROJECT_DIR: project.root,
      ...environment,
    },
    now,
    note,
  });
}
