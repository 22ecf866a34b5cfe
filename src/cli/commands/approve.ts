import { approveRun } from '../../operations/approve.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { textOrStdin } from '../options.ts';
import { artifactsDueText } from '../output/artifacts-due-text.ts';
import { continuation } from '../output/continuation.ts';
import { reportChange, reportEnd } from '../output/report-run.ts';

export async function approve(
  cli: CommandContext,
  name: string | undefined,
  options: { note?: string },
): Promise<void> {
  const note = options.note === undefined ? undefined : textOrStdin('--note', options.note);
  const { run, approved, artifacts } = await approveRun(cli, name, note);
  const lead = `Approved ${sanitizeLine(approved).replace(/, waiting for .*$/, '')}`;
  if (run.state.status === 'completed') reportEnd(cli, run, `${lead}, the last one.`);
  else
    reportChange(cli, run, {
      done: `${lead}.`,
      isMove: true,
      next: continuation(cli, run),
      details: [artifactsDueText(artifacts)],
      data: { artifacts: artifacts.due },
    });
}
