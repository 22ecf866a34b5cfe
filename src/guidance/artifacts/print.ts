import { fenced, sanitizeLine } from '../../text/sanitize.ts';
import { formatSize } from '../../text/relative-time.ts';
import { isMissing, loadedText, type DueArtifact, type Loaded } from './load-plain.ts';

export interface LoadedArtifact extends DueArtifact {
  trigger: string;
}

export interface Printed {
  text: string;
  /** Those whose content stands in the text. */
  given: LoadedArtifact[];
}

const BETWEEN = '\n\n';

/** Whole contents in order, while they fit; the rest by its path and size, or by what is to be done about it. */
export function printArtifacts(artifacts: readonly LoadedArtifact[], maxChars: number): Printed {
  const named = artifacts.map((one) => ({
    one,
    line: `${isMissing(one) ? 'Required: ' : ''}${lineFor(one)}`,
  }));
  // Each is named at least: contents have what that leaves.
  let left = maxChars - named.map(({ line }) => line).join(BETWEEN).length;
  const given: LoadedArtifact[] = [];
  const parts = named.map(({ one, line }) => {
    const whole = contentOf(one);
    if (whole === null) return line;
    const more = whole.length - line.length;
    if (more > left) return line;
    left -= more;
    given.push(one);
    return whole;
  });
  return { text: parts.join(BETWEEN), given };
}

function contentOf(one: LoadedArtifact): string | null {
  const { loaded } = one;
  if (loaded.kind !== 'text') return null;
  const place = loaded.path === undefined ? '' : ` @${sanitizeLine(loaded.path)}`;
  const note = loaded.note === undefined ? '' : `, ${sanitizeLine(loaded.note)}`;
  return `${titleOf(one)}${place} (${formatSize(loaded.size)}${note})\n${fenced(loaded.text)}`;
}

/** An artifact that is not given whole, in one line. */
export function lineFor(one: LoadedArtifact): string {
  const text = loadedText(one.loaded, 'too large to be printed here; --max-chars allows more');
  return `${titleOf(one)}: ${sanitizeLine(text)}`;
}

function titleOf({ id, description }: DueArtifact): string {
  return `Artifact ${sanitizeLine(description === undefined ? id : `${id}, ${description}`)}`;
}

/** Its path, what to do to get it, or why it is missing. */
export function whereIs(loaded: Loaded): string {
  if ('path' in loaded && loaded.path !== undefined) {
    return loaded.kind === 'refused' ? `@${loaded.path} (${loaded.why})` : `@${loaded.path}`;
  }
  if (loaded.kind === 'listed') return loaded.todo;
  return loaded.kind === 'missing' ? `missing: ${loaded.what}` : '';
}
