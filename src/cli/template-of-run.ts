import type { FoundTemplate } from '../workflow/template/find-template.ts';
import { templateRunOf } from '../workflow/run-view.ts';
import type { CommandContext } from './context.ts';

/** The template stored in a run, which may differ from the file it came from. */
export function templateOfRun(cli: CommandContext, runId: string): FoundTemplate | null {
  const run = cli.store.list().runs.find((candidate) => candidate.runId === runId);
  const view = run === undefined ? null : templateRunOf(run.state);
  return run === undefined || view === null
    ? null
    : { template: view.template, file: run.path, origin: 'path' };
}
