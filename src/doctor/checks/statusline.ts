import { chainedIn, isOurStatusLine, statusLineProgramIn } from '../../install/plan/status-line.ts';
import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import { findingsFor } from '../findings.ts';
import { reasonNotToRun } from '../host/safe-to-run.ts';
import { readSettingsFiles, type SettingsFile } from '../host/settings-files.ts';
import { hiddenOwnLine, statusLinesIn, type StatusLine } from '../host/status-lines.ts';
import { withTrialProject } from '../trial/trial.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('statusline');

/** Whether the status line is registered, is the one that the client shows, and works. */
export const checkStatusLine: Check = {
  run: (context) => {
    const lines = statusLinesIn(readSettingsFiles(context));
    const shown = lines.at(-1);
    const ours = lines.findLast(({ value }) => isOurStatusLine(value));
    if (ours === undefined || !isOurStatusLine(ours.value))
      return [
        report.skipped(
          'the status line is not registered; `holdfast init --statusline` registers it',
        ),
      ];
    if (shown !== undefined && shown !== ours)
      return [
        report.warning(`${shown.file.shown} has a status line that hides the one of holdfast`, {
          evidence: [`registered in ${ours.file.shown}`],
          fix: 'holdfast init --statusline, which runs both',
        }),
      ];
    const hidden = hiddenOwnLine(lines);
    return [
      hidden === null
        ? tryOut(context, ours.file, ours.value.command)
        : hiding(ours.file, ours.value.command, hidden),
    ];
  },
};

/** The local line runs a copy of the user's own, which does not follow when that one is changed; the team's runs none. */
function hiding({ shown, scope }: SettingsFile, command: string, hidden: StatusLine): Finding {
  const chained = chainedIn(command);
  const when = scope === 'local' ? ' as it is now' : '';
  return report.warning(`${shown} hides the status line of ${hidden.file.shown}${when}`, {
    evidence: [
      chained === null
        ? 'runs none before its own'
        : `runs first: ${truncate(sanitizeLine(chained.command), 160)}`,
    ],
    fix: 'holdfast init --statusline',
  });
}

function tryOut(context: DoctorContext, { shown, scope }: SettingsFile, command: string): Finding {
  const chained = chainedIn(command);
  const evidence = [
    shown,
    ...(chained === null ? [] : [`runs first: ${truncate(sanitizeLine(chained.command), 160)}`]),
  ];
  const program = statusLineProgramIn(command);
  if (program === null) return report.ok('the status line is registered', { evidence });
  const call = { command: program.node, args: [program.file, 'statusline'] };
  const reason = reasonNotToRun(call, context);
  if (reason !== null)
    return report.skipped(`the status line was not started: ${reason}`, { evidence });
  const outcome = withTrialProject(context, ({ tell }) => tell(call, '{}\n'));
  if (outcome.code === 0) return report.ok('the status line works as registered', { evidence });
  return report.warning('the status line is registered, but its program does not start', {
    evidence: [...evidence, `${program.node} ${program.file}`],
    fix: `holdfast init --scope ${scope} --statusline`,
  });
}
