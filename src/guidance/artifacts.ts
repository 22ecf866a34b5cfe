import { describeAction, describeMissing } from '../artifacts/describe-loaded.ts';
import type { DueArtifact, Loaded } from '../artifacts/types.ts';
import { formatSize } from '../util/format-size.ts';
import type { InlinedFile } from './inline.ts';
import { fenced, sanitizeLine, truncate } from '../util/sanitize.ts';

const MAX_LINE = 400;

/** Artifacts that are inlined whole, in order, while they fit. */
export function inlineArtifacts(due: readonly DueArtifact[], maxChars: number): InlinedFile[] {
  let left = maxChars;
  return due.flatMap(({ id, loaded }) => {
    if (loaded.kind !== 'text' || loaded.text.trim() === '' || loaded.text.length > left) return [];
    left -= loaded.text.length;
    const title = `Artifact ${loaded.path === undefined ? id : `${id} (@${loaded.path})`}`;
    return [{ id, title, content: loaded.text, block: fenced(loaded.text) }];
  });
}

/** One line for each artifact: its path and size, or what to do about it. */
export function artifactLines(due: readonly DueArtifact[], inlined: ReadonlySet<string>): string[] {
  return due.map(({ id, description, loaded }) => {
    const about = description === undefined ? '' : `, ${sanitizeLine(description)}`;
    return truncate(`- ${sanitizeLine(id)}${about}: ${state(loaded, inlined.has(id))}`, MAX_LINE);
  });
}

function state(loaded: Loaded, isInlined: boolean): string {
  switch (loaded.kind) {
    case 'text': {
      const note = loaded.note === undefined ? '' : `, ${sanitizeLine(loaded.note)}`;
      if (isInlined) return `content below${note}`;
      return loaded.path === undefined
        ? `${formatSize(loaded.size)}, \`holdfast prime\` loads it${note}`
        : `@${sanitizeLine(loaded.path)} (${formatSize(loaded.size)}), to be opened with the Read tool${note}`;
    }
    case 'empty':
      return `@${sanitizeLine(loaded.path)} is empty`;
    case 'listed':
      return sanitizeLine(describeAction(loaded.todo));
    case 'missing': {
      const { what, hint } = describeMissing(loaded.why);
      return `missing: ${sanitizeLine(what)}; ${sanitizeLine(hint)}`;
    }
    default:
      return `@${sanitizeLine(loaded.path)} was not loaded: ${loaded.why}${loaded.size === undefined ? '' : ` (${formatSize(loaded.size)})`}`;
  }
}
