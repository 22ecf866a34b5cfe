import type { LoadedSettings } from '../settings/load.ts';
import type { Store } from '../state/store/store.ts';
import type { LivenessContext } from '../sessions/holder.ts';

export const CHECKS = [
  'settings',
  'registration',
  'commands',
  'evidence',
  'coverage',
  'mcp',
  'versions',
  'state',
  'runs',
  'templates',
  'artifacts',
  'lock',
  'git',
] as const;
export type CheckName = (typeof CHECKS)[number];

/** `skipped`: nobody looked, and the message says why. */
export const LEVELS = ['ok', 'note', 'warning', 'broken', 'skipped'] as const;
export type Level = (typeof LEVELS)[number];

export interface Finding {
  check: CheckName;
  level: Level;
  message: string;
  evidence?: string[];
  fix?: string;
  /** `doctor --fix` mends it. */
  fixable: boolean;
  fixed?: boolean;
}

export interface Report {
  root: string;
  findings: Finding[];
  summary: {
    ok: number;
    notes: number;
    warnings: number;
    broken: number;
    skipped: number;
    fixed: number;
  };
}

/** Everything the checks are given by their surroundings; they write only where `mend` is called. */
export interface DoctorContext extends LivenessContext {
  root: string;
  cwd: string;
  /** Where Claude Code keeps what belongs to the user. */
  config: string;
  /** The file in which it keeps what it knows of a user and of projects. */
  hostFile: string;
  environment: Record<string, string | undefined>;
  policyFiles: readonly string[];
  /** Where else an administrator may have decided something, which nobody looked at. */
  unseenPolicies: readonly string[];
  settings: LoadedSettings;
  store: Store;
  /** Of this holdfast. */
  version: string;
  /** The folder that this holdfast runs from. */
  packageFolder: string;
  node: { version: string };
}

export interface Check {
  run: (examined: DoctorContext) => Finding[];
  /** Mends what `examine` called fixable, and says what was done. */
  fix?: (examined: DoctorContext) => string[];
}
