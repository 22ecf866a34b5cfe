import { numberedHeading, phasesWithItems } from './phases.ts';
import { fileIn, folderOf, nameOf } from './locations.ts';
import type { PlanFormat } from './types.ts';

const POINTER = '.specify/feature.json';

/** https://github.com/github/spec-kit: `specs/NNN-feature/tasks.md`, with phases as headings. */
export const specKit: PlanFormat = {
  id: 'spec-kit',
  usesBoxes: true,
  companions: () => [POINTER],
  isPointedTo: ({ path, companions }) => {
    const json = companions.get(POINTER)?.slice(0, 10_000) ?? '';
    const [, value = ''] = /"feature_directory"\s*:\s*"([^"]*)"/.exec(json) ?? [];
    // It may be absolute, and a path of Windows.
    const directory = `/${value.replaceAll(/\\+/g, '/').replace(/\/+$/, '')}`;
    return directory.endsWith(`/${folderOf(path)}`);
  },
  siblings: fileIn('spec.md', 'plan.md', 'data-model.md', 'research.md'),
  describe: ({ path }, { title = '', sections }) => ({
    name: title.replace(/^tasks\s*[:–—-]\s*/i, '') || nameOf(path),
    phases: phasesWithItems(sections, numberedHeading('Phase')),
  }),
};
