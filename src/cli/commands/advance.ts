import { sanitizeLine } from '../../util/sanitize.ts';
import { advanceRun } from '../../operations/advance.ts';
import { projectPath } from '../../operations/project-path.ts';
import type { CommandContext } from '../context.ts';
import { textOrStdin } from '../options.ts';
import { reportEnd, reportRun } from '../output/report-run.ts';

export interface AdvanceOptions {
  output?: string;
  artefact?: string[];
  name?: string;
  force?: boolean;
}

export async function advance(
  cli: CommandContext,
  name: string | undefined,
  options: AdvanceOptions,
): Promise<void> {
  const { run, action, finished, artifacts } = await advanceRun(cli, name, {
    output: options.output === undefined ? undefined : textOrStdin('--output', options.output),
    artefacts: (options.artefact ?? []).map((path) => projectPath(cli, path)),
    nextName: options.name,
    force: options.force,
  });
  const done = `Finished ${sanitizeLine(finished)}`;
  if (run.state.status === 'completed') reportEnd(cli, run, `${done}, the last one.`);
  else {
    const lead = artifacts.text === '' ? `${done}.` : `${done}.\n\n${artifacts.text}`;
    reportRun(cli, run, [], lead, action, { artifacts: artifacts.due });
  }
}
