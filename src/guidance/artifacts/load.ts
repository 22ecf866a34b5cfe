import type { RunState } from '../../state/types.ts';
import { gitInfo } from './git-info.ts';
import { loadDirectory } from './load-directory.ts';
import { loadPlain } from './load-plain.ts';
import type { RunPlace } from './placeholders.ts';
import { summarised } from './summary.ts';
import type { Artifact, Loaded } from './types.ts';

/** `loadPlain` with all that it leaves out to be small enough for hooks. */
export function loadArtifact(artifact: Artifact, state: RunState, place: RunPlace): Loaded {
  return loadPlain(artifact, state, place, {
    directory: loadDirectory,
    gitInfo,
    summary: summarised,
  });
}
