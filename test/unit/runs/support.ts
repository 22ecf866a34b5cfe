import { hostname } from 'node:os';
import type { OperationContext } from '../../../src/sessions/open-project.ts';
import { SessionRegistry } from '../../../src/sessions/session-registry.ts';
import { DEFAULTS } from '../../../src/settings/settings.ts';
import type { RunState, StoredRun } from '../../../src/state/types.ts';
import { startTemplateRun } from '../../../src/templates/template-run.ts';
import type { Template } from '../../../src/templates/template-types.generated.ts';
import type { Project } from '../../support/project.ts';
import { NOW } from '../../support/runs.ts';
import { storeOf } from '../../support/store.ts';

export interface TestContext extends OperationContext {
  /** What people were warned of. */
  warnings: string[];
}

export function contextIn(project: Project, session: string | null = 's1'): TestContext {
  const warnings: string[] = [];
  return {
    root: project.root,
    cwd: project.root,
    launchFolder: project.root,
    session,
    client: null,
    registry: new SessionRegistry(`${project.outside}/config`, NOW.getTime()),
    config: `${project.outside}/config`,
    environment: { PATH: process.env['PATH'] },
    settings: DEFAULTS,
    store: storeOf(project),
    by: 'cli',
    warn: (sentence) => warnings.push(sentence),
    warnings,
    now: NOW,
    hostname: hostname(),
  };
}

export function begun(template: Template): RunState {
  return { ...startTemplateRun(template, undefined, NOW), adopted: true };
}

/** The run as a new process finds it. */
function stored({ store }: OperationContext, runId: string): StoredRun {
  const found = store.list().runs.find((run) => run.runId === runId);
  if (found === undefined) throw new Error(`there is no run ${runId}`);
  return found;
}

export function machineIn(context: OperationContext, runId: string): Record<string, unknown> {
  return stored(context, runId).state.machine ?? {};
}
