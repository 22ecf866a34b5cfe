import type { CheckedSettings } from '../settings/settings.ts';
import type { Store } from '../state/store/store.ts';
import type { LivenessContext } from '../sessions/holder.ts';

export const CHECKS = [
  'settings',
  'registration',
  'commands',
  'evidence',
  'coverage',
  'module',
  'mcp',
  'statusline',
  'versions',
  'headless',
  'state',
  'runs',
  'templates',
  'artifacts',
  'lock',
  'git',
  'sync',
] as const;
export type CheckName = (typeof CHECKS)[number];

/** `skipped`: not checked; the message says why. */
export const LEVELS = ['ok', 'note', 'warning', 'broken', 'skipped'] as const;
export type Level = (typeof LEVELS)[number];

export interface Finding {
  check: CheckName;
  level: Level;
  message: string;
  evidence?: string[];
  fix?: string;
  /** Whether `doctor --fix` repairs it. */
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

/** The input of every check. Only `fix` writes. */
export interface DoctorContext extends LivenessContext {
  root: string;
  cwd: string;
  /** Claude Code's folder for the user (`~/.claude`). */
  config: string;
  /** Its own file about the user and the projects (`~/.claude.json`). */
  hostFile: string;
  environment: Record<string, string | undefined>;
  settings: CheckedSettings;
  store: Store;
  /** The version of this holdfast. */
  version: string;
  /** The folder that this holdfast runs from. */
  packageFolder: string;
  node: { version: string };
}

export interface Check {
  run: (context: DoctorContext) => Finding[];
  /** Repairs what `run` called fixable, and says what was done. */
  fix?: (context: DoctorContext) => string[];
}
