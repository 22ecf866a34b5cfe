import type { Loaded } from '../artifacts/types.ts';
import { sizeWords } from '../artifacts/size-words.ts';
import type { InlinedFile } from './inline.ts';
import { fenced, oneLine, shortened } from './plain.ts';

const MAX_LINE = 400;

/** An artifact that is due, and what came of loading it. */
export interface DueArtifact {
  id: string;
  description?: string | undefined;
  loaded: Loaded;
}

/** Those small enough to be given whole, in their order, while they fit. */
export function inlineArtifacts(due: readonly DueArtifact[], maxChars: number): InlinedFile[] {
  let left = maxChars;
  return due.flatMap(({ id, loaded }) => {
    if (loaded.kind !== 'text' || loaded.text.trim() === '' || loaded.text.length > left) return [];
    left -= loaded.text.length;
    const title = `Artifact ${loaded.path === undefined ? id : `${id} (@${loaded.path})`}`;
    return [{ id, title, content: loaded.text, block: fenced(loaded.text) }];
  });
}

/** One line for each: where it is, how large, or what is to be done about it. */
export function artifactLines(due: readonly DueArtifact[], inlined: ReadonlySet<string>): string[] {
  return due.map(({ id, description, loaded }) => {
    const about = description === undefined ? '' : `, ${oneLine(description)}`;
    return shortened(`- ${oneLine(id)}${about}: ${state(loaded, inlined.has(id))}`, MAX_LINE);
  });
}

function state(loaded: Loaded, isInlined: boolean): string {
  switch (loaded.kind) {
    case 'text': {
      const note = loaded.note === undefined ? '' : `, ${oneLine(loaded.note)}`;
      if (isInlined) return `content below${note}`;
      return loaded.path === undefined
        ? `${sizeWords(loaded.size)}, \`holdfast prime\` loads it${note}`
        : `@${oneLine(loaded.path)} (${sizeWords(loaded.size)}), to be opened with the Read tool${note}`;
    }
    case 'empty':
      return `@${oneLine(loaded.path)} is empty`;
    case 'listed':
      return oneLine(loaded.words);
    case 'missing':
      return `missing: ${oneLine(loaded.what)}; ${oneLine(loaded.hint)}`;
    default:
      return `@${oneLine(loaded.path)} was not loaded: ${loaded.why}${loaded.size === undefined ? '' : ` (${sizeWords(loaded.size)})`}`;
  }
}
