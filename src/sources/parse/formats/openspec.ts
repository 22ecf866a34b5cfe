import { phasesWithItems, withoutNumber } from './phases.ts';
import { fileIn, nameOf } from './locations.ts';
import type { PlanFormat } from './types.ts';

/** https://github.com/Fission-AI/OpenSpec: `openspec/changes/<id>/tasks.md`, with `## 1. Group` headings. */
export const openSpec: PlanFormat = {
  id: 'openspec',
  excludes: /^openspec\/changes\/archive\//,
  usesBoxes: true,
  siblings: fileIn('proposal.md', 'design.md'),
  describe: ({ path }, { sections }) => ({
    name: nameOf(path),
    phases: phasesWithItems(sections, ({ level, heading }) =>
      level === 2 ? { key: heading, name: withoutNumber(heading) } : undefined,
    ),
  }),
};
