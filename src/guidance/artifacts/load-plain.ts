import { canonicalPath, isInside } from '../../files/environment.ts';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { locate } from '../../files/read-file.ts';
import type { RunState } from '../../state/types.ts';
import { loadFile } from './load-file.ts';
import { targetOf, type RunPlace } from './placeholders.ts';
import type { Artifact, Loaded } from './types.ts';

/** Loading what few artifacts are. Where it is left out, they are listed for the agent to prime. */
export interface RareLoaders {
  directory?: (root: string, path: string, strategy: Artifact['load_strategy']) => Loaded;
  gitInfo?: (root: string) => Loaded;
  summary?: (file: Loaded, type: Artifact['type']) => Loaded;
}

/** The content of an artifact as it is now. Only files of the project are read, and no command is run. */
export function loadPlain(
  artifact: Artifact,
  state: RunState,
  place: RunPlace,
  { directory, gitInfo, summary }: RareLoaders = {},
): Loaded {
  const { id, type, load_strategy: strategy } = artifact;
  const { root } = place;
  if (type === 'git_info') return gitInfo?.(root) ?? toBePrimed(artifact);
  const target = targetOf(artifact, state, place);
  if (target.kind === 'missing') return target;
  const isSkill = type === 'skill';
  if (target.kind === 'command')
    return listed(`the project asks for the ${isSkill ? 'skill' : 'command'} \`${target.text}\``);
  const path = canonicalPath(root, target.text) || '.';
  const full = resolve(root, path);
  const isElsewhere = path.startsWith('~') || !isInside(resolve(root), full);
  const where = isElsewhere ? 'outside the project' : locate(root, full);
  if (where === 'absent') return missing(id, path);
  if (where !== 'inside') return { kind: 'refused', why: where, path };
  if (isSkill || type === 'work_plugin') return listed(`the project asks to follow @${path}`);
  // What is there counts, whatever the declaration calls it.
  if (statSync(full, { throwIfNoEntry: false })?.isDirectory() === true) {
    return directory?.(root, path, strategy) ?? toBePrimed(artifact);
  }
  const file = loadFile(root, path, type === 'json') ?? missing(id, path);
  return strategy === 'summary' && file.kind === 'text'
    ? (summary?.(file, type) ?? toBePrimed(artifact))
    : file;
}

export function toBePrimed({ id }: Artifact): Loaded {
  return listed(`run \`holdfast prime --artifacts ${id}\``);
}

function listed(todo: string): Loaded {
  return { kind: 'listed', todo };
}

function missing(id: string, path: string): Loaded {
  return {
    kind: 'missing',
    what: `${path} does not exist`,
    hint: `write it, or correct the path of artifact ${id}`,
  };
}
