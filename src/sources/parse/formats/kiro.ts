import { type Outline, cleanText, type Box } from '../field-line.ts';
import type { PlanPhase } from '../plan-phases.ts';
import { isItem, phasesBySection } from './phases.ts';
import { fileIn, nameOf } from './locations.ts';
import type { PlanFormat } from './types.ts';

/** https://kiro.dev and https://github.com/gotalab/cc-sdd: `.kiro/specs/<name>/tasks.md`, numbered boxes on two levels. */
export const kiro: PlanFormat = {
  id: 'kiro',
  usesBoxes: true,
  siblings: fileIn('requirements.md', 'bugfix.md', 'design.md'),
  describe: ({ path }, outline) => {
    const phases = numberedPhases(outline);
    return {
      name: nameOf(path),
      phases: phases.length > 0 ? phases : phasesBySection(outline.sections),
    };
  },
};

const NUMBERED = /^\**(\d{1,9})(\.\d{1,9})*\.?\s+(?:\(P\)\s+)?/;

/** `- [ ] 2. Build` is a phase; `2.1` and every box nested in it are its items. Without them it is its own item. */
function numberedPhases({ sections }: Outline): PlanPhase[] {
  const phases: { main: Box; parts: Box[] }[] = [];
  for (const box of sections.flatMap(({ boxes }) => boxes.filter(isItem))) {
    const number = NUMBERED.exec(box.text);
    if (number && number[2] === undefined && box.depth === 0) phases.push({ main: box, parts: [] });
    else phases.at(-1)?.parts.push(box);
  }
  return phases.map(({ main, parts }) => ({
    name: cleanText(main.text.replace(NUMBERED, '').replace(/\s*\(P\)$/, '')),
    mark: main.state === 'under way' ? 'under way' : undefined,
    boxes: itemsOf(main, parts),
  }));
}

/** A ticked task is done, whatever its parts say. One under way has a last item: to tick itself. */
function itemsOf(main: Box, parts: Box[]): Box[] {
  if (main.state === 'ticked' || parts.length === 0) return [main];
  const hasOpenPart = parts.some(({ state }) => state !== 'ticked');
  return main.state === 'under way' && !hasOpenPart ? [...parts, main] : parts;
}
