import { relative, sep } from 'node:path';
import { placesOf, SCOPES, type Scope } from '../../install/plan/scopes.ts';
import { strictJsonProblem, type JsonSyntaxError } from '../../util/strict-json.ts';
import { isInside, readTextFile, type Refusal } from '../../io/read-file.ts';
import { realPath } from './real-path.ts';
import { foldersBeside } from './repository.ts';
import type { DoctorContext } from '../types.ts';

const MAX_BYTES = 5_000_000;

export type SettingsReading =
  | { kind: 'absent' }
  | { kind: 'empty' }
  | { kind: 'refused'; why: Refusal }
  | { kind: 'not JSON'; line: number; why: JsonSyntaxError }
  | { kind: 'json'; json: unknown };

interface Source {
  scope: Scope;
  path: string;
  /** The other folder of the project that it belongs to, which only newer clients read; else null. */
  elsewhere: string | null;
}

/** A settings file of the client. */
export interface SettingsFile extends Source {
  /** The path to display. */
  shown: string;
  reading: SettingsReading;
}

export function readSettingsFiles(context: Pick<DoctorContext, 'root' | 'config'>): SettingsFile[] {
  return sourcesOf(context).map((source) => ({
    ...source,
    shown: shownPath(context.root, source.path),
    reading: readSettingsFile(source.path),
  }));
}

/** The files that the client ignores as a whole, with everything registered in them. */
export function ignoredFiles(files: readonly SettingsFile[]): string[] {
  return files
    .filter(({ reading, elsewhere }) => reading.kind === 'not JSON' && elsewhere === null)
    .map(({ shown }) => shown);
}

/** In order of precedence, the lowest first. */
export function byWeight(files: readonly SettingsFile[]): SettingsFile[] {
  const weights = ['user', 'project', 'local'];
  const weightOf = ({ scope, elsewhere }: SettingsFile): number =>
    weights.indexOf(scope) - (elsewhere === null ? 0 : 0.5);
  return files.toSorted((a, b) => weightOf(a) - weightOf(b));
}

/** Each file once: in the home folder, the project's settings are the user's. */
function sourcesOf({ root, config }: Pick<DoctorContext, 'root' | 'config'>): Source[] {
  const sources: Source[] = [
    ...SCOPES.map((scope) => ({
      scope,
      path: placesOf(scope, root, config).settings,
      elsewhere: null,
    })),
    ...foldersBeside(root).map((folder) => ({
      scope: 'local' as const,
      path: placesOf('local', folder, config).settings,
      elsewhere: folder,
    })),
  ];
  const places = sources.map(({ path }) => realPath(path));
  return sources.filter((source, index) => {
    const same = sources.filter((_, other) => places[other] === places[index]);
    return source === (same.find(({ scope }) => scope === 'user') ?? same[0]);
  });
}

function readSettingsFile(path: string): SettingsReading {
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind !== 'text') return file;
  if (file.text.trim() === '') return { kind: 'empty' };
  const problem = strictJsonProblem(file.text);
  return problem === null
    ? { kind: 'json', json: JSON.parse(file.text) }
    : { kind: 'not JSON', ...problem };
}

function shownPath(root: string, path: string): string {
  return isInside(root, path) ? relative(root, path).split(sep).join('/') : path;
}
