import { notUnderstoodInLocalFile, notUnderstoodInPlan } from './parse/not-understood.ts';
import type { NotUnderstood } from './parse/not-understood.ts';
import { readProjectFile } from '../files/read-file.ts';
import type { SourceFile } from './types.ts';

const MAX_BYTES = 1_000_000;
/** Old plans without a status may be many. */
const MAX_NAMED = 5;

export interface UnclearSource extends NotUnderstood {
  path: string;
}

/** The sources that look like a workflow and are not understood. For commands: hooks need not know. */
export function unclearSources(root: string, sources: readonly SourceFile[]): UnclearSource[] {
  const isUnclear = ({ kind, reading, format }: SourceFile): boolean =>
    kind === 'local-file'
      ? reading.state !== 'unreadable'
      : reading.state === 'unclear' && format === undefined;
  const paths = new Map(sources.filter(isUnclear).map(({ path, kind }) => [path, kind]));
  const found = [...paths].flatMap(([path, kind]) => {
    const file = readProjectFile(root, path, MAX_BYTES);
    if (file.kind !== 'text') return [];
    const places =
      kind === 'local-file'
        ? notUnderstoodInLocalFile(file.text)
        : (notUnderstoodInPlan(file.text, path) ?? []);
    return [places].flat().map((place) => ({ path, ...place }));
  });
  // The newest plans have the highest numbers.
  return found.slice(-MAX_NAMED);
}

export function describeUnclear({ path, line, missing }: UnclearSource): string {
  return `${path}:${line} looks like a workflow and is not understood; what is missing: ${missing}`;
}
