import type {
  artifactsForSession,
  artifactsLost,
  artifactsReadFrom,
} from '../artifacts/for-session.ts';
import type { Settings } from '../settings/settings.ts';
import type { RunState } from '../state/types.ts';

/** What hooks do with critical artifacts. Few runs have any, so it lies in a file of its own. */
export interface ArtifactSupport {
  artifactsForSession: typeof artifactsForSession;
  artifactsLost: typeof artifactsLost;
  artifactsReadFrom: typeof artifactsReadFrom;
}

let enter: () => ArtifactSupport | null = () => {
  throw new Error('nobody has said where the artifacts are');
};

/** Whoever starts a program says how to get there; null where there is no way. */
export function registerArtifactSupport(room: () => ArtifactSupport | null): void {
  enter = room;
}

/** Null for a run that declares no artifacts: then nothing is loaded. */
export function artifactSupportFor(state: RunState, settings: Settings): ArtifactSupport | null {
  const declared = [(state.template ?? settings).critical_artifacts, state.critical_artifacts];
  return declared.some((lists) => Object.keys(lists ?? {}).length > 0) ? enter() : null;
}
