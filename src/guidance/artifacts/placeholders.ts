import { ownMember } from '../../text/json.ts';
import { canonicalPath } from '../../files/environment.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { shellQuote } from '../../text/shell-commands.ts';
import type { Artifact, Loaded } from './types.ts';

export interface RunPlace extends Pick<StoredRun, 'runId' | 'path'> {
  root: string;
}

/** Where an artifact is to be found. */
export type Target =
  | { kind: 'path' | 'command'; text: string }
  | Extract<Loaded, { kind: 'missing' }>;

export function targetOf(artifact: Artifact, state: RunState, place: RunPlace): Target {
  const { path, path_from_state: pointer, command } = artifact;
  if (path === undefined && pointer !== undefined) {
    const keys = pointer.replace(/^\$\./, '').split('.');
    const found = keys.reduce<unknown>(ownMember, state);
    return typeof found === 'string' && found.trim() !== ''
      ? filled('path', found, state, place)
      : missing(`the run's state has no path at ${pointer}`, commandToSet(keys));
  }
  const text = path ?? command;
  return text === undefined
    ? missing('it has no path', 'declare a path, path_from_state or command')
    : filled(path === undefined ? 'command' : 'path', text, state, place);
}

/** A stored path as people see it: placeholders filled in, and relative to the project root if it is inside. */
export function displayPath(path: string, run: StoredRun, root: string): string {
  if (!path.includes('{')) return path;
  const target = filled('path', path, run.state, { ...run, root });
  return target.kind === 'path' ? canonicalPath(root, target.text) : path;
}

function missing(what: string, hint: string): Target {
  return { kind: 'missing', what, hint };
}

function commandToSet([section = '', key = '']: string[]): string {
  const word = shellQuote(key);
  const option = section === 'artifacts' ? `--artifact ${word}=<path>` : `--set ${word}=<value>`;
  return section === 'artifacts' || section === 'context'
    ? `\`holdfast update ${option}\``
    : 'write it into the state file';
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
      const names = Object.keys(known).map((each) => `{${each}}`);
      return missing(`{${name}} is no placeholder`, `there are ${names.join(' ')}`);
    }
    if ((typeof value !== 'string' || value.trim() === '') && typeof value !== 'number') {
      return missing(`{${name}} has no value in this run`, commandToSet(['context', name]));
    }
    parts[index] = String(value);
  }
  return { kind, text: parts.join('') };
}
