import {
  chainedIn,
  isOurStatusLine,
  ownCommandIn,
  statusLineProgramIn,
} from '../../install/plan/status-line.ts';
import { isObject } from '../../util/json.ts';
import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import { findingsFor } from '../findings.ts';
import { reasonNotToRun } from '../host/safe-to-run.ts';
import { byWeight, readSettingsFiles, type SettingsFile } from '../host/settings-files.ts';
import { withTrialProject } from '../trial/trial.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('statusline');

interface StatusLine {
  file: SettingsFile;
  value: unknown;
}

/** Whether the status line is registered, is the one that the client shows, and works. */
export const checkStatusLine: Check = {
  run: (context) => {
    const lines = byWeight(readSettingsFiles(context)).flatMap(statusLineIn);
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
    const outdated = outdatedCopy(ours.file, ours.value.command, lines.slice(0, -1));
    return [outdated ?? tryOut(context, ours.file, ours.value.command)];
  },
};

/** The local line runs a copy of the one that it hides, which does not follow when that one is changed. */
function outdatedCopy(
  { shown, scope }: SettingsFile,
  command: string,
  hidden: readonly StatusLine[],
): Finding | null {
  const chained = chainedIn(command);
  if (scope !== 'local' || chained?.isInherited === false) return null;
  const current = hidden.findLast(({ value }) => ownCommandIn(value) !== null);
  const own = ownCommandIn(current?.value)?.['command'];
  if (own === undefined || own === chained?.command) return null;
  return report.warning(`${shown} hides the status line of ${current?.file.shown} as it is now`, {
    evidence: [
      chained === null
        ? 'runs none before its own'
        : `runs first: ${truncate(sanitizeLine(chained.command), 160)}`,
    ],
    fix: 'holdfast init --statusline',
  });
}

function statusLineIn(file: SettingsFile): StatusLine[] {
  const { reading } = file;
  const value =
    reading.kind === 'json' && isObject(reading.json) ? reading.json['statusLine'] : undefined;
  return value === undefined ? [] : [{ file, value }];
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
