import { join } from 'node:path';
import { createHookContext, type HookContext } from '../../../src/hooks/context.ts';
import type { HookInput } from '../../../src/hooks/protocol.ts';
import type { Project } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';

export interface HookFields extends Partial<HookInput> {
  environment?: Record<string, string>;
  now?: Date;
  note?: (problem: string) => void;
}

/** The context of a hook call in the project, with a configuration folder of its own beside it. */
export function hookContext(project: Project, fields: HookFields): HookContext {
  const { environment, now = NOW, note = () => undefined, ...input } = fields;
  return createHookContext({
    input: { event: 'SessionStart', session: 's1', cwd: project.root, raw: {}, ...input },
    root: project.root,
    elsewhere: { launch: null },
    packageFolder: project.root,
    environment: { CLAUDE_CONFIG_DIR: join(project.outside, 'config'), ...environment },
    now,
    note,
  });
}
