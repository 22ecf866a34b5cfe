import type { Environment } from '../io/run-command.ts';
import type { OperationContext } from '../operations/open-project.ts';
import type { DriverEvent } from './events.ts';
import type { Limits } from './limits.ts';
import type { RunLog } from './log.ts';
import type { DriverRecord } from './record.ts';

/** What the user wants of a driven run. */
export interface DriveOptions {
  limits: Limits;
  model: string | null;
  permissionMode: string | null;
  allow: readonly string[];
  /** Wait for a usage limit to be reset instead of stopping. */
  waitsForReset: boolean;
  /** Stop after one step. */
  isStepwise: boolean;
}

/** How the client is started on this machine. */
export interface ClientSetup {
  client: FoundClient;
  environment: Environment;
  /** Settings that load our hooks; null where they are installed. */
  settings: string | null;
  /** A folder with a `holdfast` that is this one. */
  programFolder: string;
  /** Whether the client knows an agent from a file. */
  hasAgentFile: (agent: string) => boolean;
}

export interface FoundClient {
  /** The absolute path: the project must not decide what `claude` is. */
  program: string;
  /** Null if it did not tell. */
  version: string | null;
}

/** Everything that the parts of the driver share. */
export interface DriveContext {
  runId: string;
  root: string;
  options: DriveOptions;
  setup: ClientSetup;
  record: DriverRecord;
  log: RunLog;
  /** A context of now; the session is that of the client which works on the run. */
  open: (session: string | null) => OperationContext;
  emit: (event: DriverEvent) => void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** The first wait after a failed request, and how long a client may be silent. */
  timing: { firstWaitMs: number | undefined; silenceMs: number };
}
