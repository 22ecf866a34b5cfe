/** In the environment of a client that `holdfast run` drives, and of everything that this client starts. */
const DRIVER_VARIABLE = 'HOLDFAST_DRIVER';

/** The client that a process belongs to. */
export interface DrivenClient {
  /** Changes with every client that is started. */
  token: string;
  runId: string;
  /** The agent that the client runs as; null for the main one. */
  agent: string | null;
}

export function driverVariable({ token, runId, agent }: DrivenClient): string {
  return [token, runId, ...(agent === null ? [] : [agent])].join(' ');
}

/** Null for a process that no driven client has started. */
export function drivenClient(
  environment: Readonly<Record<string, string | undefined>>,
): DrivenClient | null {
  const match = /^(\S+) (\S+)(?: (.+))?$/s.exec(environment[DRIVER_VARIABLE] ?? '');
  if (match === null) return null;
  const [, token = '', runId = '', agent = null] = match;
  return { token, runId, agent };
}
