import { numberedHeading, phasesWithItems } from './phases.ts';
import { baseName } from './locations.ts';
import type { PlanFormat, PlanSource } from './types.ts';

/** https://github.com/obra/superpowers: one dated file a plan, with `### Task N:` headings and a box for each step. */
export const superpowers: PlanFormat = {
  id: 'superpowers',
  usesBoxes: true,
  companions: (path) => [ledgerOf(path), SHARED_LEDGER],
  isPointedTo: (source) => ledgerText(source).trim() !== '',
  siblings: (path) => [path.replace('/plans/', '/specs/').replace(/\.md$/, '-design.md')],
  describe: (source, { title = '', sections }) => {
    const { path, text } = source;
    // Other people use docs/plans, too; plans of superpowers name the skill that carries them out.
    if (path.startsWith('docs/plans/') && !text.includes('superpowers:')) return undefined;
    const finished = finishedTasks(ledgerText(source));
    const task = numberedHeading('Task');
    return {
      name: title.replace(/\s+implementation plan$/i, '') || baseName(path),
      phases: phasesWithItems(
        sections,
        (section) => {
          const heading = task(section);
          return heading && { ...heading, isFinished: finished.has(heading.key) };
        },
        () => [],
      ),
    };
  },
};

/** Before plans had ledgers of their own, one was written for all of them. */
const SHARED_LEDGER = '.superpowers/sdd/progress.md';

/** The ledger in which the agent records the tasks of this plan. The shared one counts if it names only this plan. */
function ledgerText({ path, companions }: PlanSource): string {
  const own = companions.get(ledgerOf(path)) ?? '';
  const shared = companions.get(SHARED_LEDGER) ?? '';
  const named = new Set([...shared.matchAll(PLAN_LINE)].map(([, plan = '']) => baseName(plan)));
  return named.size === 1 && named.has(baseName(path)) ? `${own}\n${shared}` : own;
}

const PLAN_LINE = /^[ \t>*_-]{0,20}plan[*_]{0,3}:[*_\s]{0,9}`?([^\s`]{1,500}\.md)\b/gim;

function ledgerOf(path: string): string {
  return `.superpowers/sdd/${baseName(path)}/progress.md`;
}

/** `Task 2: complete (commits a..b)`, or a ticked box. */
function finishedTasks(ledger: string): Set<string> {
  const lines = [COMPLETE, TICKED].flatMap((pattern) => [...ledger.matchAll(pattern)]);
  return new Set(lines.map(([, number]) => String(Number(number))));
}

const COMPLETE =
  /^[ \t>*_-]{0,20}(?:\[[ x]\] )?task\s{1,3}(\d{1,9})[*_]{0,3}\s{0,3}:[ *_✅]{0,9}(?:completed?|done)\b/gim;
const TICKED = /^[ \t>]{0,20}[-*+] \[x\] [*_]{0,3}task\s{1,3}(\d{1,9})\b/gim;
