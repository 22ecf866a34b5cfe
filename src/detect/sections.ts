import type { MarkdownLine } from '../markdown/types.ts';
import { Declaration, isDeclarationLine } from './declaration.ts';
import { isMarker } from './marker.ts';

/**
 * The declarations of a file, one for each `Workflow State` marker. A section ends at the next heading of the same or a
 * higher level. A marker inside a section starts one of its own, and its lines do not belong to the outer one.
 */
export function splitSections(lines: MarkdownLine[]): Declaration[] {
  const found: Declaration[] = [];
  let open: Section[] = [];
  let enclosingLevel = 0;
  for (const line of lines) {
    const level = headingLevel(line);
    if (level !== undefined) open = open.filter((section) => !endsAt(section, line, level));
    const current = open.at(-1);

    if (isMarker(line.text, level !== undefined) && (level !== undefined || mayFollow(current))) {
      const declaration = new Declaration();
      if (current?.marker === 'line') open.pop();
      open.push(
        level === undefined
          ? { marker: 'line', level: enclosingLevel, declaration }
          : { marker: 'heading', level, declaration },
      );
      found.push(declaration);
    } else {
      current?.declaration.add(line);
    }
    enclosingLevel = level ?? enclosingLevel;
  }
  return found;
}

interface Section {
  marker: 'heading' | 'line';
  /** Of the marker, or of the heading that a line marker is below. */
  level: number;
  declaration: Declaration;
}

/** Text directly above a `---` is a heading by Markdown's rules, but often a declaration with a rule below it. */
function headingLevel(line: MarkdownLine): number | undefined {
  const { heading } = line;
  if (!heading || heading.lines > 1) return undefined;
  return heading.isUnderlined && isDeclarationLine(line) ? undefined : heading.level;
}

function endsAt({ marker, level, declaration }: Section, line: MarkdownLine, at: number): boolean {
  if (marker === 'line') return at <= level || !isDeclarationLine(line);
  // `## Workflow: name` below `## Workflow State` is a field in the form of a heading.
  return at < level || (at === level && !declaration.lacks(line));
}

/** `Workflow State: active` may also be a line of a section that has not named its workflow and phase yet. */
function mayFollow(current: Section | undefined): boolean {
  return current === undefined || current.declaration.isComplete;
}
