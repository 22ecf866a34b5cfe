import {
  CHECKS,
  LEVELS,
  type CheckName,
  type Finding,
  type Level,
  type Report,
} from '../../doctor/types.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import { escapeInvisible } from '../../util/escape-invisible.ts';
import { pluralize } from '../../util/relative-time.ts';
import type { Colors } from '../../util/colors.ts';
import { section } from './layout.ts';
import { pad } from './table.ts';

const TITLES: Record<CheckName, string> = {
  settings: 'Settings',
  registration: 'Registration',
  commands: 'Registered commands, executed',
  evidence: 'Evidence that hooks fire',
  coverage: 'Coverage',
  module: 'Module',
  mcp: 'MCP server',
  statusline: 'Status line',
  versions: 'Versions',
  headless: 'Headless runs',
  state: 'State files',
  runs: 'Runs',
  templates: 'Templates',
  artifacts: 'Critical artifacts',
  lock: 'Lock',
  git: 'Git',
  sync: 'Sync',
};

const WIDTH = Math.max(...LEVELS.map((level) => level.length));

/**
 * What needs attention, grouped by subject, the worst first. `isVerbose` shows all findings in the order of the checks,
 * with their evidence.
 */
export function reportText(report: Report, colors: Colors, isVerbose: boolean): string {
  const shown = isVerbose ? report.findings : report.findings.filter(needsAttention);
  const checks = isVerbose ? CHECKS : CHECKS.toSorted((a, b) => rank(b, shown) - rank(a, shown));
  const groups = checks.map((check) =>
    section(
      colors.bold(TITLES[check]),
      shown
        .filter((finding) => finding.check === check)
        .map((finding) => (isVerbose ? finding : withoutDetails(finding)))
        .flatMap((each) => linesOf(each, colors)),
    ),
  );
  const hint = isVerbose ? '' : ' `holdfast doctor --verbose` shows every check with its evidence.';
  return [...groups.filter((group) => group !== ''), `${closing(report.summary)}${hint}`].join(
    '\n\n',
  );
}

function needsAttention({ level, fixed }: Finding): boolean {
  return fixed === true || (level !== 'ok' && level !== 'skipped');
}

/** A note is for information, so its evidence can wait. */
function withoutDetails(finding: Finding): Finding {
  return finding.level === 'note' ? { ...finding, evidence: [] } : finding;
}

const SEVERITY: readonly Level[] = ['skipped', 'ok', 'note', 'warning', 'broken'];

function rank(check: CheckName, findings: readonly Finding[]): number {
  const levels = findings.filter((each) => each.check === check).map(({ level }) => level);
  return Math.max(-1, ...levels.map((level) => SEVERITY.indexOf(level)));
}

function linesOf({ level, message, evidence = [], fix, fixed }: Finding, colors: Colors): string[] {
  const indent = ' '.repeat(WIDTH + 2);
  const word = fixed === true ? 'fixed' : level;
  return [
    `${paint(level, colors)(pad(word, WIDTH))}  ${displayed(message)}`,
    ...evidence.map((line) => `${indent}${colors.dim(displayed(line))}`),
    ...(fix === undefined ? [] : [`${indent}fix: ${displayed(fix)}`]),
  ];
}

/** Findings quote text from other files, which must not control the terminal or imitate our lines. */
function displayed(text: string): string {
  return sanitizeLine(escapeInvisible(text));
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

function closing({ ok, notes, warnings, broken, skipped, fixed }: Report['summary']): string {
  const counts = [
    ...(broken > 0
      ? [`${broken} broken`]
      : [`Nothing is broken: ${pluralize(ok, 'check')} passed`]),
    ...(warnings > 0 ? [pluralize(warnings, 'warning')] : []),
    ...(notes > 0 ? [pluralize(notes, 'note')] : []),
    ...(fixed > 0 ? [`${fixed} fixed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return `${counts.join(', ')}.`;
}
