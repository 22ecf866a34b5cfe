import type { LivenessContext } from '../sessions/holder.ts';
import type { Settings } from '../settings/settings.ts';
import type { Store } from '../state/store/store.ts';

/** What an operation is given by whoever asks for it, be it a command or a tool call. */
export interface OperationContext extends LivenessContext {
  root: string;
  cwd: string;
  session: string | null;
  /** The host's process, where it tells. */
  claudePid: string | undefined;
  /** Where Claude Code keeps what belongs to the user. */
  config: string;
  environment: Record<string, string | undefined>;
  settings: Settings;
  store: Store;
  /** For the journal. */
  by: 'cli' | 'mcp';
  warn: (sentence: string) => void;
  /** Aborted when whoever asks no longer waits for the answer. */
  signal?: AbortSignal | undefined;
}
