import { fenced, sanitizeLine } from '../../text/sanitize.ts';
import { formatSize } from '../../text/relative-time.ts';
import type { Artifact, Loaded } from './types.ts';

export interface LoadedArtifact {
  artifact: Artifact;
  trigger: string;
  loaded: Loaded;
}

export interface Printed {
  text: string;
  /** Those whose content stands in the text. */
  given: LoadedArtifact[];
}

const BETWEEN = '\n\n';

/** Whole contents in order, while they fit; the rest by its path and size, or by what is to be done about it. */
export function printArtifacts(
  artifacts: readonly LoadedArtifact[],
  maxChars: number,
  describeArtifact: (one: LoadedArtifact) => string = lineFor,
): Printed {
  const named = artifacts.map((one) => ({ one, line: describeArtifact(one) }));
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

function contentOf({ artifact, loaded }: LoadedArtifact): string | null {
  if (loaded.kind !== 'text') return null;
  const title = titleOf(artifact);
  const place = loaded.path === undefined ? '' : ` @${sanitizeLine(loaded.path)}`;
  const note = loaded.note === undefined ? '' : `, ${sanitizeLine(loaded.note)}`;
  return `${title}${place} (${formatSize(loaded.size)}${note})\n${fenced(loaded.text)}`;
}

/** An artifact that is not given whole, in one line. */
export function lineFor({ artifact, loaded }: LoadedArtifact): string {
  const title = titleOf(artifact);
  switch (loaded.kind) {
    case 'text':
      return loaded.path === undefined
        ? `${title} (${formatSize(loaded.size)}): too large to be printed here; --max-chars allows more`
        : `${title} @${sanitizeLine(loaded.path)} (${formatSize(loaded.size)}): to be opened with the Read tool`;
    case 'empty':
      return `${title} @${sanitizeLine(loaded.path)} is empty`;
    case 'listed':
      return `${title}: ${sanitizeLine(loaded.todo)}`;
    case 'missing':
      return `${title} is missing: ${sanitizeLine(loaded.what)}; ${sanitizeLine(loaded.hint)}`;
    default:
      return `${title} @${sanitizeLine(loaded.path)} was not loaded: ${loaded.why}${loaded.size === undefined ? '' : ` (${formatSize(loaded.size)})`}`;
  }
}

function titleOf({ id, description }: Artifact): string {
  return description === undefined
    ? `Artifact ${sanitizeLine(id)}`
    : `Artifact ${sanitizeLine(id)}, ${sanitizeLine(description)}`;
}

/** Nothing of it could be brought. */
export function isAbsent({ loaded }: LoadedArtifact): boolean {
  return loaded.kind === 'missing' || loaded.kind === 'refused';
}
