import { numberedHeading, phasesByHeading, withItems } from './phases.ts';
import type { PlanFormat } from './types.ts';

/** https://github.com/obra/superpowers: one dated file a plan, with `### Task N:` headings and a box for each step. */
export const superpowers: PlanFormat = {
  id: 'superpowers',
  usesBoxes: true,
  companions: (path) => [ledgerOf(path)],
  isPointedTo: ({ path, companions }) => finishedTasks(companions.get(ledgerOf(path))).size > 0,
  siblings: (path) => [path.replace('/plans/', '/specs/').replace(/\.md$/, '-design.md')],
  describe: ({ path, text, companions }, { title = '', sections }) => {
    // Other people use docs/plans, too; plans of superpowers name the skill that carries them out.
    if (path.startsWith('docs/plans/') && !text.includes('superpowers:')) return undefined;
    const finished = finishedTasks(companions.get(ledgerOf(path)));
    const task = numberedHeading('Task');
    const phases = phasesByHeading(sections, (section) => {
      const heading = task(section);
      return heading && { ...heading, isFinished: finished.has(heading.key) };
    });
    return {
      name: title.replace(/\s+implementation plan$/i, '') || baseName(path),
      phases: withItems(phases),
    };
  },
};

/** Each plan has a ledger of its own; the agent adds a line when the review of a task is done. */
function ledgerOf(path: string): string {
  return `.superpowers/sdd/${baseName(path)}/progress.md`;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
}

function finishedTasks(ledger = ''): Set<string> {
  const lines = ledger.matchAll(
    /^[ \t>*_-]{0,20}(?:\[[xX]\] )?task\s{1,3}(\d{1,9})[*_]{0,3}\s{0,3}:[ *_✅]{0,9}(?:completed?|done)\b/gim,
  );
  return new Set([...lines].map(([, number = '']) => String(Number(number))));
}
