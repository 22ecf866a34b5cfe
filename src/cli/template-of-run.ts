import type { FoundTemplate } from '../workflow/template/find-template.ts';
import { parseRun } from '../workflow/run.ts';
import type { CommandContext } from './context.ts';

/** The template stored in a run, which may differ from the file it came from. */
export function templateOfRun(cli: CommandContext, runId: string): FoundTemplate | null {
  const stored = cli.store.list().runs.find((candidate) => candidate.runId === runId);
  if (stored === undefined) return null;
  const run = parseRun(stored.state);
  return run.kind === 'template'
    ? { template: run.template, file: stored.path, origin: 'path' }
    : null;
}
