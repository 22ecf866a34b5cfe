import type { CheckName, Finding, Level } from './types.ts';

interface Details {
  evidence?: readonly string[];
  fix?: string;
  fixable?: boolean;
}

type MakeFinding = (message: string, details?: Details) => Finding;

const MAX_EVIDENCE = 12;

/** Makes the findings of one check. */
export function findingsFor(check: CheckName): Record<Level, MakeFinding> {
  const report =
    (level: Level): MakeFinding =>
    (message, { evidence = [], fix, fixable = false } = {}) => ({
      check,
      level,
      message,
      ...(evidence.length === 0 ? {} : { evidence: bounded(evidence) }),
      ...(fix === undefined ? {} : { fix }),
      fixable,
    });
  return {
    ok: report('ok'),
    note: report('note'),
    warning: report('warning'),
    broken: report('broken'),
    skipped: report('skipped'),
  };
}

function bounded(lines: readonly string[]): string[] {
  return lines.length <= MAX_EVIDENCE
    ? [...lines]
    : [...lines.slice(0, MAX_EVIDENCE), `… and ${lines.length - MAX_EVIDENCE} more`];
}
