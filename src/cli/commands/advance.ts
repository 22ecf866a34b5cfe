import { sanitizeLine, sanitizeLines } from '../../util/sanitize.ts';
import { advanceRun } from '../../operations/advance.ts';
import type { UntilResult } from '../../operations/pass-gates.ts';
import { projectPath } from '../../operations/project-path.ts';
import type { CommandContext } from '../context.ts';
import { textOrStdin } from '../options.ts';
import { reportChange, reportEnd } from '../output/report-run.ts';

export interface AdvanceOptions {
  output?: string;
  artifact?: string[];
  name?: string;
  force?: boolean;
}

export async function advance(
  cli: CommandContext,
  name: string | undefined,
  options: AdvanceOptions,
): Promise<void> {
  const advanced = await advanceRun(cli, name, {
    output: options.output === undefined ? undefined : textOrStdin('--output', options.output),
    artefacts: (options.artifact ?? []).map((path) => projectPath(cli, path)),
    nextName: options.name,
    force: options.force,
  });
  const { run, action, finished, wasBlocked, artifacts, until, absent, isRequested } = advanced;
  for (const path of absent) cli.output.warn(`${path} does not exist yet`);
  if (isRequested) {
    cli.output.result(
      { run_id: run.runId, requested: true, finished },
      `Requested the end of ${sanitizeLine(finished)}. ${REQUESTED}`,
    );
    return;
  }
  const done = `Finished ${sanitizeLine(finished)}${blockedText(wasBlocked)}`;
  if (run.state.status === 'completed') reportEnd(cli, run, `${done}, the last one.`);
  else {
    reportChange(cli, run, {
      done: `${done}.`,
      isMove: true,
      action,
      details: [untilText(until), artifacts.text],
      data: { artifacts: artifacts.due, ...(until === null ? {} : { until: untilData(until) }) },
    });
  }
}

const REQUESTED =
  'This step has a check, which `holdfast run` performs once your turn has ended. End your turn now.';
function blockedText(reason: string | null): string {
  if (reason === null) return '';
  return reason === '' ? ' (it was blocked)' : ` (it was blocked: ${sanitizeLine(reason)})`;
}

function untilData({ command, isMet, exitCode, output }: UntilResult): object {
  return { command, met: isMet, exit_code: exitCode, output };
}

/** Why the iterations of a ralph step end or go on. */
function untilText(until: UntilResult | null): string {
  if (until === null) return '';
  const command = sanitizeLine(until.command);
  if (until.isMet) return `\`${command}\` exited 0, so no further iteration is needed.`;
  const result = until.exitCode === null ? 'ran out of time' : `exited ${until.exitCode}`;
  return [`\`${command}\` ${result}, so another iteration begins.`, ...sanitizeLines(until.output)]
    .join('\n')
    .trimEnd();
}
