import type { Refusal } from '../../files/read-file.ts';
import type { DeclaredArtifact } from '../../settings/settings-types.generated.ts';

/** Something that must be in the agent's context. */
export type Artifact = DeclaredArtifact & { reload_triggers: string[] };

/** Sizes are in bytes, paths from the project root where they lie inside it. */
export type Loaded =
  | { kind: 'text'; text: string; size: number; path?: string; note?: string }
  /** `todo` is what the agent does itself to get it. */
  | { kind: 'listed'; todo: string }
  | { kind: 'empty'; path: string }
  /** `hint` says what to do about it. */
  | { kind: 'missing'; what: string; hint: string }
  | { kind: 'refused'; why: Refusal; path: string; size?: number };

/** An artifact that is due, and what came of loading it. */
export interface DueArtifact {
  id: string;
  description?: string | undefined;
  loaded: Loaded;
}
