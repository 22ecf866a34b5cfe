import type { Refusal } from '../io/read-file.ts';
import type { DeclaredArtifact } from '../settings/settings-types.generated.ts';

/** Something that must be in the agent's context. */
export type Artifact = DeclaredArtifact & { reload_triggers: string[] };

/** Sizes are in bytes, paths from the project root where they lie inside it. */
export type Loaded =
  | { kind: 'text'; text: string; size: number; path?: string; note?: string }
  | { kind: 'listed'; todo: AgentAction }
  | { kind: 'empty'; path: string }
  | { kind: 'missing'; why: MissingArtifact }
  | { kind: 'refused'; why: Refusal; path: string; size?: number };

/** What the agent does itself to get an artifact. */
export type AgentAction =
  | { kind: 'prime'; id: string }
  | { kind: 'use_skill' | 'run'; command: string }
  | { kind: 'follow'; path: string };

/** Why there is nothing to load. */
export type MissingArtifact =
  | { kind: 'no_file'; path: string; id: string }
  | { kind: 'no_source' | 'no_repository' }
  /** The keys from the root of the run's state to the path that should be there. */
  | { kind: 'no_path_in_state'; pointer: string; keys: string[] }
  | { kind: 'unknown_placeholder'; name: string; known: string[] }
  | { kind: 'placeholder_without_value'; name: string };

/** An artifact that is due, and what came of loading it. */
export interface DueArtifact {
  id: string;
  description?: string | undefined;
  loaded: Loaded;
}
