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
import type { Colors } from './colors.ts';
import { section } from './status-text.ts';
import { pad } from './table.ts';

const TITLES: Record<CheckName, string> = {
  settings: 'Settings of Claude Code',
  registration: 'Registration',
  commands: 'Registered commands, executed',
  evidence: 'Evidence that hooks fire',
  coverage: 'Coverage',
  module: 'Module',
  mcp: 'MCP server',
  versions: 'Versions',
  state: 'State files',
  runs: 'Runs',
  templates: 'Templates',
  artifacts: 'Critical artifacts',
  lock: 'Lock',
  git: 'Git',
};

const WIDTH = Math.max(...LEVELS.map((level) => level.length));

/** All findings, grouped by subject. */
export function reportText({ findings, summary }: Report, colors: Colors): string {
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

function closing({ notes, warnings, broken, skipped, fixed }: Report['summary']): string {
  const counts = [
    ...(broken > 0 ? [`${broken} broken`] : ['Nothing is broken']),
    ...(warnings > 0 ? [pluralize(warnings, 'warning')] : []),
    ...(notes > 0 ? [pluralize(notes, 'note')] : []),
    ...(fixed > 0 ? [`${fixed} fixed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return `${counts.join(', ')}.`;
}
