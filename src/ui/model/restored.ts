import type { JournalEvent } from '../../state/journal.ts';
import { manyLines, oneLine } from './text.ts';
import type { RestoredText } from './types/timeline.ts';

/** Between two sections of a guidance. */
const GAP = '\n\n'.length;

/** The sizes of the sections that a restore recorded, in order; empty for the short forms and for older journals. */
export function recordedSections({
  sections,
}: JournalEvent): { name: string; characters: number }[] {
  if (!Array.isArray(sections)) return [];
  return sections.flatMap((entry: unknown) => {
    const [name, characters]: unknown[] = Array.isArray(entry) ? entry : [];
    return typeof name === 'string' && typeof characters === 'number' && characters >= 0
      ? [{ name: sectionTitle(name), characters }]
      : [];
  });
}

/** Cuts an injected text at the recorded sizes; a text that does not fit them is one section. */
export function sectionsOfRestored(text: string, event: JournalEvent): RestoredText['sections'] {
  const sizes = recordedSections(event);
  const total = sizes.reduce((sum, { characters }) => sum + characters, 0);
  if (sizes.length === 0 || total + GAP * (sizes.length - 1) !== text.length)
    return [{ name: 'Text', text: manyLines(text, 20_000) }];
  let at = 0;
  return sizes.map(({ name, characters }) => {
    const part = text.slice(at, at + characters);
    at += characters + GAP;
    return { name, text: manyLines(part, 20_000) };
  });
}

/** The first section has no title of its own. */
export function sectionTitle(name: string): string {
  return name === 'head' ? 'Title and phase' : oneLine(name, 100);
}
