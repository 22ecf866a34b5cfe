import type { OperationContext } from '../sessions/open-project.ts';
import type { RunEvent } from './event-types.generated.ts';
import type { DriverRecord, RunLog } from './record.ts';
import type { ClientSetup } from './setup.ts';

/** The options of `run`; times are in milliseconds. */
export interface RunOptions {
  template: string | undefined;
  set: [string, string][];
  maxCost: number | undefined;
  maxTime: number | undefined;
  stepTime: number | undefined;
  model: string | undefined;
  permissionMode: string | undefined;
  allow: string[];
  waitLimits: boolean;
  onStop: string | undefined;
  step: boolean;
  dryRun: boolean;
}

export type Limits = Pick<RunOptions, 'maxCost' | 'maxTime' | 'stepTime'>;

/** Everything that the parts of the driver share. */
export interface DriveContext {
  runId: string;
  /** Of its state file when the driver began. */
  path: string;
  root: string;
  options: RunOptions;
  /** The command that continues the run in the same way. */
  next: string;
  setup: ClientSetup;
  record: DriverRecord;
  log: RunLog;
  /** A context of now; the session is that of the client which works on the run. */
  open: (session: string | null) => OperationContext;
  emit: (event: DriverEvent) => void;
  signal: AbortSignal;
  /** The first wait after a failed request, and how long a client may be silent. */
  timing: { firstWaitMs: number | undefined; silenceMs: number };
}

/** An event before it is printed and logged with its time and its run. */
type Unstamped<Event> = Event extends RunEvent ? Omit<Event, 'at' | 'run'> : never;
export type DriverEvent = Unstamped<RunEvent>;
