import type { HeadReader } from './phase-head.ts';
import type { Outline } from './outline.ts';
import type { PhasePlace, PlanPhase } from './phases.ts';

/** How one tool writes its plans. */
export interface PlanFormat {
  /** Where its plans are. */
  patterns: readonly string[];
  /** Paths that match a pattern but are not plans. */
  excludes?: RegExp;
  /** Other files of the tool that the reading depends on. Their texts are in `PlanSource.companions`. */
  companions?: (path: string) => string[];
  /** The companion that the items are in, if they are not in the plan itself. */
  itemsFile?: string;
  /** Whether a file of the tool says that this plan is being worked on. */
  isPointedTo?: (source: PlanSource) => boolean;
  /** Documents to read with the plan, if they exist, from its folder; `*` is its name. */
  siblings: readonly string[];
  /** Where the name and the phases are in a document; a function for files of another kind. */
  content:
    | DocumentContent
    | ((source: PlanSource, outline: Outline) => PlanReading | undefined);
}

/** What a plan in Markdown consists of. */
export interface DocumentContent {
  /** The name of the plan: its title without these words at either end, or the name of its folder. */
  name: 'folder' | { titleWithout: RegExp };
  /** What a phase begins with, and where that stands. */
  head: HeadReader;
  places: readonly PhasePlace[];
  /** A phase without items can never be done, so it is left out. */
  needsItems: boolean;
}

/** What a plan says. */
export interface PlanReading {
  name: string;
  phases: PlanPhase[];
  /** The plan has items, and no phases: the sections that hold them are not said to be phases. */
  isUnphased?: boolean;
  /** What the plan itself says about its position, where that is not the position in the list. */
  position?: PlanPosition;
  /** The boxes lag behind, so that no next item is taken from them. */
  hasStaleItems?: boolean;
  /** Facts to be shown as they stand, by name. */
  facts?: Record<string, string>;
  /** The plan is on hold. */
  isHeld?: boolean;
}

/** The number that the plan gives its current phase; `line` stands for the numbers where they are not known. */
export interface PlanPosition {
  line: string;
  label?: string;
}

export interface PlanSource {
  /** Relative to the project, with forward slashes. */
  path: string;
  text: string;
  /** By path; a file that does not exist is absent. */
  companions: ReadonlyMap<string, string>;
}

export function baseName(path: string): string {
  return path.replace(/.*\//s, '').replace(/\.\w{1,10}$/, '');
}

export function folderName(path: string): string {
  return path.split('/').at(-2) ?? '';
}
