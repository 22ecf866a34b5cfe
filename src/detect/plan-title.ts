import type { MarkdownLine } from '../markdown/types.ts';
import { isPhaseHeading } from './plan-phases.ts';

/**
 * The line with the plan's title: its first heading of level 1 that is not a phase. `# Phase 2 rollout` at the top is a
 * title too, unless the phases themselves are headings of level 1.
 */
export function findTitle(lines: MarkdownLine[]): MarkdownLine | undefined {
  const headings = lines.filter(({ heading }) => heading !== undefined);
  const candidates = headings.filter(({ heading }) => heading?.level === 1);
  const title = candidates.find((line) => !isPhase(line));
  const [first] = headings;
  const isNamedAfterPhase =
    first !== undefined && first === candidates[0] && candidates.filter(isPhase).length === 1;
  return isNamedAfterPhase ? first : title;
}

function isPhase({ heading }: MarkdownLine): boolean {
  return heading !== undefined && isPhaseHeading(heading);
}
