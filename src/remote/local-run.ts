import type { RunState } from '../state/types.ts';
import type { TimedEvent } from './journals.ts';

/** What `sync` needs to know of this machine to keep it out of what it sends. */
export interface Place {
  /** The id of this checkout: random, so that it says nothing about the machine. */
  machine: string;
  version: string;
  /** Paths of this machine and what stands for them, the longest first. */
  paths: readonly (readonly [path: string, placeholder: string])[];
}

export interface LocalRun {
  runId: string;
  slug: string;
  state: RunState;
  journal: readonly TimedEvent[];
  /** When the file was last written. */
  at: string;
}
