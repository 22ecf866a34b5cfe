import { numberedHeading, phasesByHeading, phasesBySection, withItems } from './phases.ts';
import { fileIn, folderOf, nameOf } from './paths.ts';
import type { PlanFormat } from './types.ts';

const POINTER = '.specify/feature.json';

/** https://github.com/github/spec-kit: `specs/NNN-feature/tasks.md`, with phases as headings. */
export const specKit: PlanFormat = {
  id: 'spec-kit',
  usesBoxes: true,
  companions: () => [POINTER],
  isPointedTo: ({ path, companions }) => {
    const directory = featureDirectory(companions.get(POINTER) ?? '');
    return directory === folderOf(path) || directory.endsWith(`/${folderOf(path)}`);
  },
  siblings: fileIn('spec.md', 'plan.md', 'data-model.md', 'research.md'),
  describe: ({ path }, { title = '', sections }) => {
    const phases = withItems(phasesByHeading(sections, numberedHeading('Phase')));
    return {
      name: title.replace(/^tasks\s*[:–—-]\s*/i, '') || nameOf(path),
      phases: phases.length > 0 ? phases : phasesBySection(sections),
    };
  },
};

/** The directory may be absolute. */
function featureDirectory(json: string): string {
  const value =
    /"feature_directory"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"/.exec(json.slice(0, 10_000))?.[1] ?? '';
  return value.replaceAll(/\\+/g, '/').replace(/^\.\//, '').replace(/\/+$/, '');
}
