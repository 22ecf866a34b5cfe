import { CHECKS, type Report, type ReportedFinding } from '../../doctor/doctor.ts';
import type { Level } from '../../doctor/finding.ts';
import { sanitizeLine, escapeInvisible } from '../../text/sanitize.ts';
import { pluralize } from '../../text/relative-time.ts';
import type { Colors } from '../../text/colors.ts';
import { section } from './layout.ts';
import { pad } from './table.ts';

const SEVERITY: readonly Level[] = ['skipped', 'ok', 'note', 'warning', 'broken'];
const WIDTH = Math.max(...SEVERITY.map((level) => level.length));

/**
 * What needs attention, grouped by subject, the worst first. `isVerbose` shows all findings in the order of the checks,
 * with their evidence.
 */
export function reportText(report: Report, colors: Colors, isVerbose: boolean): string {
  const shown = isVerbose ? report.findings : report.findings.filter(needsAttention);
  const groups = Object.entries(CHECKS).map(([check, { title }]) => {
    const found = shown.filter((finding) => finding.check === check);
    const lines = found.flatMap((finding) => linesOf(finding, colors, isVerbose));
    const rank = isVerbose ? 0 : Math.max(...found.map(({ level }) => SEVERITY.indexOf(level)));
    return { rank, text: section(colors.bold(title), lines) };
  });
  const texts = groups.toSorted((a, b) => b.rank - a.rank).map(({ text }) => text);
  const hint = isVerbose ? '' : ' `holdfast doctor --verbose` shows every check with its evidence.';
  return [...texts.filter((text) => text !== ''), `${closing(report.summary)}${hint}`].join('\n\n');
}

function needsAttention({ level, fixed }: ReportedFinding): boolean {
  return fixed === true || (level !== 'ok' && level !== 'skipped');
}

/** A note is for information, so its evidence can wait. */
function linesOf(finding: ReportedFinding, colors: Colors, isVerbose: boolean): string[] {
  const { level, message, evidence = [], fix, fixed } = finding;
  const indent = ' '.repeat(WIDTH + 2);
  const word = fixed === true ? 'fixed' : level;
  const details = level === 'note' && !isVerbose ? [] : evidence;
  return [
    `${paint(level, colors)(pad(word, WIDTH))}  ${displayed(message)}`,
    ...details.map((line) => `${indent}${colors.dim(displayed(line))}`),
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
