import { asWord } from '../../text/sanitize.ts';
import { ownMember } from '../../text/json.ts';
import type { Run } from '../../state/types.ts';
import type { DeclaredArtifact } from '../../settings/settings-types.generated.ts';
import { canonicalPath } from '../../files/environment.ts';
import { proposedWord } from '../../text/shell-commands.ts';

type Missing = { kind: 'missing'; words: string };

/** What an artifact is loaded from. */
export type Target = { kind: 'path' | 'command'; text: string } | Missing;

export function targetOf(
  artifact: DeclaredArtifact,
  run: Run,
  root: string,
): Target {
  const { path, path_from_state: pointer, command } = artifact;
  if (path === undefined && pointer !== undefined) {
    const keys = keysIn(pointer);
    let found: unknown = run.state;
    for (const key of keys) found = ownMember(found, key);
    if (typeof found === 'string' && found.trim() !== '')
      return filled('path', found, run, root);
    const what = `the run's state has no path at ${asWord(pointer)}`;
    return missing(what, commandToSet(keys));
  }
  if (path !== undefined) return filled('path', path, run, root);
  if (command !== undefined) return filled('command', command, run, root);
  return missing(
    'it has no path',
    'declare a path, path_from_state or command',
  );
}

/** `$.a.b`, `a.b`, `state.a.b`, `['key']` and `[0]`. */
function keysIn(pointer: string): string[] {
  const parts = pointer
    .replace(/^(?:\$|state)(?=[.[])/, '')
    .matchAll(/(['"])(.*?)\1|[^.[\]]+/g);
  return [...parts].map(([plain, , quotedKey]) => quotedKey ?? plain);
}

/** A stored path as people see it: placeholders filled in, and relative to the project root if it is inside. */
export function displayPath(path: string, run: Run, root: string): string {
  if (!path.includes('{')) return path;
  const target = filled('path', path, run, root);
  return target.kind === 'path' ? canonicalPath(root, target.text) : path;
}

export function missing(what: string, hint: string): Missing {
  return { kind: 'missing', words: `missing: ${what}; ${hint}` };
}

function commandToSet([section, key = '']: string[]): string {
  if (section === 'artifacts')
    return `\`holdfast update --artifact ${proposedWord(key, '<name>')}=<path>\``;
  return section === 'context'
    ? `\`holdfast update --set ${proposedWord(key, '<name>')}=<value>\``
    : 'write it into the state file';
}

function filled(
  kind: 'path' | 'command',
  text: string,
  { runId, path, state: { context } }: Run,
  root: string,
): Target {
  const values = {
    project_root: root,
    run_id: runId,
    plan_id: ownMember(context, 'plan_id'),
    work_id: ownMember(context, 'work_id'),
    state_file: path,
  };
  // The name in each pair of braces stands between the texts around it.
  const parts = text.split(/\{([^{}]*)\}/);
  for (let index = 1; index < parts.length; index += 2) {
    const name = parts[index] ?? '';
    if (!Object.hasOwn(values, name))
      return missing(
        `${asWord(`{${name}}`)} is no placeholder`,
        `there are ${Object.keys(values).join(', ')}`,
      );
    const value = ownMember(values, name);
    const isGiven =
      typeof value === 'number' ||
      (typeof value === 'string' && value.trim() !== '');
    if (!isGiven)
      return missing(
        `{${name}} has no value in this run`,
        commandToSet(['context', name]),
      );
    parts[index] = String(value);
  }
  return { kind, text: parts.join('') };
}
