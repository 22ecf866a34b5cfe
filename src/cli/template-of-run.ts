import type { FoundTemplate } from '../workflow/find-template.ts';
import { viewOf } from '../workflow/run-view.ts';
import type { Cli } from './context.ts';

/** A run goes on with its own copy of the template, which may no longer be what the file says. */
export function templateOfRun(cli: Cli, runId: string): FoundTemplate | null {
  const run = cli.store.list().runs.find((candidate) => candidate.runId === runId);
  const view = run === undefined ? null : viewOf(run.state);
  return run === undefined || view === null
    ? null
    : { template: view.template, file: run.path, origin: 'path' };
}
