import { ownMember } from '../util/json.ts';
import { canonicalPath } from '../io/canonical-path.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import type { Artifact, MissingArtifact } from './types.ts';

export interface RunPlace extends Pick<StoredRun, 'runId' | 'path'> {
  root: string;
}

/** Where an artifact is to be found. */
export type Target =
  | { kind: 'path' | 'command'; text: string }
  | { kind: 'missing'; why: MissingArtifact };

export function targetOf(artifact: Artifact, state: RunState, place: RunPlace): Target {
  const { path, path_from_state: pointer, command } = artifact;
  if (path === undefined && pointer !== undefined) {
    const keys = pointer.replace(/^\$\./, '').split('.');
    const found = keys.reduce<unknown>(ownMember, state);
    return typeof found === 'string' && found.trim() !== ''
      ? filled('path', found, state, place)
      : missing({ kind: 'no_path_in_state', pointer, keys });
  }
  const text = path ?? command;
  return text === undefined
    ? missing({ kind: 'no_source' })
    : filled(path === undefined ? 'command' : 'path', text, state, place);
}

/** A stored path as people see it: placeholders filled in, and relative to the project root if it is inside. */
export function displayPath(path: string, run: StoredRun, root: string): string {
  if (!path.includes('{')) return path;
  const target = filled('path', path, run.state, { ...run, root });
  return target.kind === 'path' ? canonicalPath(root, target.text) : path;
}

function missing(why: MissingArtifact): Target {
  return { kind: 'missing', why };
}

function filled(
  kind: 'path' | 'command',
  text: string,
  { context }: RunState,
  { root, runId, path }: RunPlace,
): Target {
  const known = {
    project_root: root,
    run_id: runId,
    plan_id: ownMember(context, 'plan_id'),
    work_id: ownMember(context, 'work_id'),
    state_file: path,
  };
  const parts = text.split(/\{([^{}]*)\}/);
  for (let index = 1; index < parts.length; index += 2) {
    const name = parts[index] ?? '';
    const value = ownMember(known, name);
    if (!Object.hasOwn(known, name)) {
      return missing({ kind: 'unknown_placeholder', name, known: Object.keys(known) });
    }
    if ((typeof value !== 'string' || value.trim() === '') && typeof value !== 'number') {
      return missing({ kind: 'placeholder_without_value', name });
    }
    parts[index] = String(value);
  }
  return { kind, text: parts.join('') };
}
