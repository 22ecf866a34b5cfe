import { phasesByHeading, phasesBySection, withItems, withoutNumber } from './phases.ts';
import { fileIn, nameOf } from './paths.ts';
import type { PlanFormat } from './types.ts';

/** https://github.com/Fission-AI/OpenSpec: `openspec/changes/<id>/tasks.md`, with `## 1. Group` headings. */
export const openSpec: PlanFormat = {
  id: 'openspec',
  excludes: /^openspec\/changes\/archive\//,
  usesBoxes: true,
  siblings: fileIn('proposal.md', 'design.md'),
  describe: ({ path }, { sections }) => {
    const phases = phasesByHeading(sections, ({ level, heading }) =>
      level === 2 ? { key: heading, name: withoutNumber(heading) } : undefined,
    );
    const filled = withItems(phases);
    return {
      name: nameOf(path),
      phases: filled.length > 0 ? filled : phasesBySection(sections),
    };
  },
};
