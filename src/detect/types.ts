export type PhaseStatus = 'not_started' | 'in_progress' | 'completed' | 'blocked';

export interface PhaseSaid {
  current?: number;
  total?: number;
  name?: string;
  status?: PhaseStatus;
}

/** What a source says about its workflow: a field it does not mention is absent. */
export interface Said {
  workflow: string;
  workflow_type?: string;
  phase?: PhaseSaid;
  phases?: string[];
  required_reading: string[];
  key_reminders: string[];
  context: Record<string, unknown>;
}

export type SourceReading =
  | { state: 'active'; said: Said }
  | { state: 'finished'; said?: Said }
  | { state: 'inactive' }
  | { state: 'none' };

export interface PlanPlace {
  /** Relative to the project, with forward slashes. */
  path: string;
  exists: (projectRelativePath: string) => boolean;
}

/** More than one line is often a paragraph above a rule that lacks its blank line. */
export interface Heading {
  level: number;
  text: string;
  lines: number;
}

/** `text` is the whole line as a reader would see it, list and quote marks included, comments not. */
export interface MarkdownLine {
  number: number;
  text: string;
  kind: 'text' | 'code';
  heading?: Heading;
}
