import { relative, sep } from 'node:path';
import { placesOf, SCOPES, type Scope } from '../install/scopes.ts';
import { strictJsonProblem } from '../install/strict-json.ts';
import { isInside, readTextFile, type Refusal } from '../io/read-file.ts';
import type { Examined } from './types.ts';

const MAX_BYTES = 5_000_000;

export type SettingsReading =
  | { kind: 'absent' }
  | { kind: 'empty' }
  | { kind: 'refused'; why: Refusal }
  | { kind: 'not JSON'; line: number; why: string }
  | { kind: 'json'; json: unknown; modifiedAt: number };

/** A file from which the host takes settings. */
export interface SettingsFile {
  scope: Scope | 'policy';
  path: string;
  /** The path as people know it. */
  shown: string;
  reading: SettingsReading;
}

export function readSettingsFiles(
  examined: Pick<Examined, 'root' | 'config' | 'policyFiles'>,
): SettingsFile[] {
  const { root, config, policyFiles } = examined;
  const ofScopes = SCOPES.map((scope) => ({ scope, path: placesOf(scope, root, config).settings }));
  const ofPolicy = policyFiles.map((path) => ({ scope: 'policy' as const, path }));
  return [...ofScopes, ...ofPolicy].map(({ scope, path }) => ({
    scope,
    path,
    shown: shownPath(root, path),
    reading: readSettingsFile(path),
  }));
}

function readSettingsFile(path: string): SettingsReading {
  const file = readTextFile(path, MAX_BYTES);
  if (file.kind !== 'text') return file;
  if (file.text.trim() === '') return { kind: 'empty' };
  const problem = strictJsonProblem(file.text);
  return problem === null
    ? { kind: 'json', json: JSON.parse(file.text), modifiedAt: file.modifiedAt }
    : { kind: 'not JSON', ...problem };
}

function shownPath(root: string, path: string): string {
  return isInside(root, path) ? relative(root, path).split(sep).join('/') : path;
}
