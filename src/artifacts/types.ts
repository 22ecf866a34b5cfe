import type { DeclaredArtifact } from '../settings/settings-types.generated.ts';

/** Something that must be in the agent's context. */
export type Artifact = DeclaredArtifact & { reload_triggers: string[] };

/** Sizes are in bytes, paths from the project root where they lie inside it. */
export type Loaded =
  | { kind: 'text'; text: string; size: number; path?: string; note?: string }
  /** For the agent to do itself. */
  | { kind: 'listed'; words: string }
  | { kind: 'empty'; path: string }
  | { kind: 'missing'; what: string; hint: string }
  | { kind: 'refused'; why: Refusal; path: string; size?: number };

export type Refusal =
  | 'not a file'
  | 'too large'
  | 'outside the project'
  | 'binary'
  | 'not permitted';

/** An artifact that is due, and what came of loading it. */
export interface DueArtifact {
  id: string;
  description?: string | undefined;
  loaded: Loaded;
}
