import { HoldfastError } from '../text/holdfast-error.ts';
import type { Level } from '../doctor/finding.ts';
import type { Colors } from '../text/colors.ts';
import { pluralize } from '../text/relative-time.ts';
import { escapeInvisible, sanitizeLine } from '../text/sanitize.ts';
import { loadSettings } from '../settings/settings.ts';
import { version } from '../text/version.ts';
import { command } from './command.ts';
import type { DoctorDocument, Finding } from './json/documents.ts';
import { HOST_NAMES, hostOf } from '../hosts/hosts.ts';
import { choiceOption, flag } from './options.ts';
import { paragraphs, section } from './view/output.ts';
import { pad } from '../text/terminal-width.ts';
import { packageFolder, userConfig, userFile } from './view/installation.ts';

export const doctor = command({
  usage: 'doctor',
  about:
    'check that holdfast works here; every finding has a fix; writes nothing without --fix',
  examples: [
    'holdfast doctor',
    'holdfast doctor --verbose',
    'holdfast doctor --fix',
  ],
  options: {
    host: choiceOption(
      'the agent to look at (default: the caller)',
      'host',
      HOST_NAMES,
    ),
    fix: flag('write a missing .gitignore below untracked/'),
    verbose: flag('show every check with its evidence, also if all is well'),
  },
  // Otherwise the session would be recorded as seen, but this command must not write.
  isLook: true,
  run: async (cli, { fix, verbose, host = hostOf(cli.environment) }) => {
    const { CHECKS, diagnose } = await import('../doctor/doctor.ts');
    const { output } = cli;
    const report: DoctorDocument = diagnose(
      {
        ...cli,
        host,
        config: userConfig(),
        hostFile: userFile(),
        environment: process.env,
        settings: loadSettings(cli.root),
        version,
        packageFolder: packageFolder(),
      },
      { fix },
    );
    const { broken } = report.summary;
    const titles = Object.entries(CHECKS).map(
      ([check, { title }]) => [check, title] as const,
    );
    const text = reportText(report, titles, output.colors, verbose);
    if (broken === 0 || !output.json) output.result(report, text);
    if (broken > 0)
      throw new HoldfastError(
        'unhealthy',
        `${pluralize(broken, 'check')} failed`,
        {
          hint: 'apply the `fix` beside each, then run `holdfast doctor` again',
          data: report,
        },
      );
  },
});

const SEVERITY: readonly Level[] = [
  'skipped',
  'ok',
  'note',
  'warning',
  'broken',
];
const WIDTH = 7;

/** What needs attention, the worst first. `isVerbose` shows all findings, with their evidence. */
function reportText(
  { findings, summary }: DoctorDocument,
  titles: readonly (readonly [check: string, title: string])[],
  colors: Colors,
  isVerbose: boolean,
): string {
  const shown = findings.filter(
    ({ level, fixed }) =>
      isVerbose || fixed === true || (level !== 'ok' && level !== 'skipped'),
  );
  const groups = titles.map(([check, title]) => {
    const found = shown.filter((finding) => finding.check === check);
    const lines = found.flatMap((finding) =>
      linesOf(finding, colors, isVerbose),
    );
    const rank = isVerbose
      ? 0
      : Math.max(...found.map(({ level }) => SEVERITY.indexOf(level)));
    return { rank, text: section(colors.bold(title), lines) };
  });
  const texts = groups
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ text }) => text);
  const hint = isVerbose
    ? ''
    : ' `holdfast doctor --verbose` shows every check with its evidence.';
  const { ok, notes, warnings, broken, skipped, fixed } = summary;
  const counts = [
    broken > 0
      ? `${broken} broken`
      : `Nothing is broken: ${pluralize(ok, 'check')} passed`,
    warnings > 0 && pluralize(warnings, 'warning'),
    notes > 0 && pluralize(notes, 'note'),
    fixed > 0 && `${fixed} fixed`,
    skipped > 0 && `${skipped} skipped`,
  ];
  return paragraphs([
    ...texts,
    `${counts.filter((part) => part !== false).join(', ')}.${hint}`,
  ]);
}

/** A note is for information, so its evidence can wait. */
function linesOf(
  finding: Finding,
  colors: Colors,
  isVerbose: boolean,
): string[] {
  const { level, message, evidence = [], fix, fixed } = finding;
  const { green, yellow, red, dim } = colors;
  const paint = {
    skipped: dim,
    ok: green,
    note: dim,
    warning: yellow,
    broken: red,
  }[level];
  const indent = ' '.repeat(WIDTH + 2);
  // Findings quote text from other files, which must not control the terminal or imitate our lines.
  const displayed = (text: string): string =>
    sanitizeLine(escapeInvisible(text));
  const details = level === 'note' && !isVerbose ? [] : evidence;
  return [
    `${paint(pad(fixed === true ? 'fixed' : level, WIDTH))}  ${displayed(message)}`,
    ...details.map((line) => `${indent}${dim(displayed(line))}`),
    ...(fix === undefined ? [] : [`${indent}fix: ${displayed(fix)}`]),
  ];
}
