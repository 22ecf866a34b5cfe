import { cleanText, type OutlineSection } from '../field-line.ts';
import type { PlanPhase } from '../plan-phases.ts';
import { numberedHeading, phasesWithItems } from './phases.ts';
import { fileIn, nameOf } from './locations.ts';
import type { PlanFormat } from './types.ts';

const POINTER = '.planning/.active_plan';

/** https://github.com/OthmanAdi/planning-with-files: `task_plan.md`, with a status line for each phase. */
export const planningWithFiles: PlanFormat = {
  id: 'planning-with-files',
  usesBoxes: false,
  companions: (path) => (path.startsWith('.planning/') ? [POINTER] : []),
  isPointedTo: ({ path, companions }) =>
    companions.get(POINTER)?.slice(0, 1_000).trim() === nameOf(path),
  siblings: fileIn('findings.md', 'progress.md'),
  describe: ({ path }, { title = '', sections }) => ({
    name:
      title.replace(/^task plan\s*[:–—-]\s*/i, '') ||
      (path === '.planning/task_plan.md' ? '' : nameOf(path)) ||
      'Task plan',
    phases: phasesWithItems(sections, numberedHeading('Phase'), phasesOfList),
  }),
};

/** Early versions listed the phases as boxes: `- [x] Phase 1: Plan and set up`. */
function phasesOfList(sections: readonly OutlineSection[]): PlanPhase[] {
  return sections
    .flatMap(({ boxes }) => boxes)
    .flatMap((box) => {
      const [, name] = /^\**phase\s{1,3}\d{1,9}\s*[:.–—-]\s*(.+)$/i.exec(box.text) ?? [];
      return name ? { name: cleanText(name), mark: undefined, boxes: [box] } : [];
    });
}
