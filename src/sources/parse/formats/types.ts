import type { PlanFormatId } from '../../../settings/settings.ts';
import type { Outline } from '../field-line.ts';
import type { PlanPhase } from '../plan-phases.ts';

/**
 * How one tool writes its plans. To add a tool: describe it, list it in `all-formats.ts`, `locations.ts` and the settings
 * schema, and add fixtures of a fresh, a running and a finished plan.
 */
export interface PlanFormat {
  id: PlanFormatId;
  /** Paths that match a pattern but are not plans. */
  excludes?: RegExp;
  /** Whether an item is always a check box, so that a text without open or ticked boxes need not be parsed. */
  usesBoxes: boolean;
  /** Other files of the tool that the reading depends on. Their texts are in `PlanSource.companions`. */
  companions?: (path: string) => string[];
  /** The companion that the items are in, if they are not in the plan itself. */
  itemsFile?: string;
  /** Whether a file of the tool says that this plan is being worked on. */
  isPointedTo?: (source: PlanSource) => boolean;
  /** Documents to read with the plan, if they exist. */
  siblings: (path: string) => string[];
  /** Undefined if the file is not a plan of this tool, or still the tool's template. */
  describe: (source: PlanSource, outline: Outline) => PlanDescription | undefined;
}

export interface PlanSource {
  /** Relative to the project, with forward slashes. */
  path: string;
  text: string;
  /** By path; a file that does not exist is absent. */
  companions: ReadonlyMap<string, string>;
  exists: (projectRelativePath: string) => boolean;
}

export interface PlanDescription {
  name: string;
  phases: PlanPhase[];
  /** The plan is paused or on hold. */
  isHeld?: boolean;
}
