import type { OperationContext } from '../../../../src/sessions/open-project.ts';
import { SessionRegistry } from '../../../../src/sessions/session-registry.ts';
import { DEFAULTS } from '../../../../src/settings/settings.ts';
import type { RunState } from '../../../../src/state/types.ts';
import type { Project } from '../../../support/project.ts';
import { HERE, NOW } from '../../../support/runs.ts';
import { storeOf } from '../../../support/store.ts';

/** As a command or a tool call has it; `session` null is a person's terminal. */
export function contextOf(
  project: Project,
  fields: Partial<OperationContext> = {},
): OperationContext {
  return {
    root: project.root,
    cwd: project.root,
    launchFolder: project.root,
    session: null,
    client: null,
    registry: new SessionRegistry(project.outside, NOW.getTime()),
    config: project.outside,
    environment: {},
    settings: DEFAULTS,
    store: storeOf(project),
    by: 'cli',
    warn: (sentence) => {
      throw new Error(sentence);
    },
    now: NOW,
    hostname: HERE,
    ...fields,
  };
}

export function stateOf({ store }: OperationContext, runId: string): RunState {
  const run = store.list().runs.find((candidate) => candidate.runId === runId);
  if (run === undefined) throw new Error(`there is no run ${runId}`);
  return run.state;
}
