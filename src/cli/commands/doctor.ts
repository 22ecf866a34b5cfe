import { policyFilesIn, policyFolderOf, unseenPoliciesOf } from '../../doctor/policy-files.ts';
import { diagnose } from '../../doctor/doctor.ts';
import {
  CHECKS,
  LEVELS,
  type CheckName,
  type Finding,
  type Level,
  type Report,
} from '../../doctor/types.ts';
import { HoldfastError } from '../../errors.ts';
import { counted } from '../../guidance/words.ts';
import { loadSettings } from '../../settings/load.ts';
import type { Colors } from '../colors.ts';
import type { Cli } from '../context.ts';
import { userConfig } from '../installation.ts';
import { packageFolder } from '../package-folder.ts';
import { section } from '../report.ts';
import { pad } from '../table.ts';
import { version } from '../version.ts';

export function doctor(cli: Cli, options: { fix?: boolean }): void {
  const { output } = cli;
  const config = userConfig();
  const report = diagnose(
    {
      ...cli,
      config,
      environment: process.env,
      policyFiles: policyFilesIn(policyFolderOf(process.platform)),
      unseenPolicies: unseenPoliciesOf(process.platform, config),
      settings: loadSettings(cli.root),
      version,
      packageFolder: packageFolder(),
      node: { version: process.version },
    },
    { fix: options.fix === true },
  );
  const { broken } = report.summary;
  if (broken === 0 || !output.json) output.result(report, textOf(report, output.colors));
  if (broken > 0) throw new HoldfastError({ code: 'unhealthy', broken }, report);
}

const TITLES: Record<CheckName, string> = {
  settings: 'Settings of Claude Code',
  registration: 'Registration',
  commands: 'Registered commands, executed',
  evidence: 'Evidence that hooks fire',
  coverage: 'Coverage',
  versions: 'Versions',
  state: 'State files',
  runs: 'Runs',
  templates: 'Templates',
  lock: 'Lock',
  git: 'Git',
};

const WIDTH = Math.max(...LEVELS.map((level) => level.length));

function textOf({ findings, summary }: Report, colors: Colors): string {
  const groups = CHECKS.map((check) =>
    section(
      colors.bold(TITLES[check]),
      findings
        .filter((finding) => finding.check === check)
        .flatMap((each) => linesOf(each, colors)),
    ),
  );
  return [...groups.filter((group) => group !== ''), closing(summary)].join('\n\n');
}

function linesOf({ level, message, evidence = [], fix, fixed }: Finding, colors: Colors): string[] {
  const indent = ' '.repeat(WIDTH + 2);
  const word = fixed === true ? 'fixed' : level;
  return [
    `${paint(level, colors)(pad(word, WIDTH))}  ${message}`,
    ...evidence.map((line) => `${indent}${colors.dim(line)}`),
    ...(fix === undefined ? [] : [`${indent}fix: ${fix}`]),
  ];
}

function paint(level: Level, { green, yellow, red, dim }: Colors): (text: string) => string {
  switch (level) {
    case 'ok':
      return green;
    case 'warning':
      return yellow;
    case 'broken':
      return red;
    default:
      return dim;
  }
}

function closing({ notes, warnings, broken, skipped, fixed }: Report['summary']): string {
  const counts = [
    ...(broken > 0 ? [`${broken} broken`] : ['Nothing is broken']),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
    ...(notes > 0 ? [counted(notes, 'note')] : []),
    ...(fixed > 0 ? [`${fixed} fixed`] : []),
    ...(skipped > 0 ? [`${skipped} not looked at`] : []),
  ];
  return `${counts.join(', ')}.`;
}
