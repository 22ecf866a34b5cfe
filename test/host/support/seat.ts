import { type Environment, clientEnvironment } from './environment.ts';

/** How a client is started: executable, folder, home and model. */
export interface Seat {
  /** Path of the client's executable. */
  readonly client: string;
  readonly modelUrl: string;
  readonly home: string;
  readonly cwd: string;
  readonly env?: Environment;
  /** Tools to run without a question, beside the built-in ones: `mcp__<server>`. */
  readonly allow?: readonly string[];
  /** In place of the built-in tools that are allowed: what is not among them is refused in print mode. */
  readonly tools?: readonly string[];
}

export function seatEnvironment(seat: Seat): Record<string, string> {
  return clientEnvironment(seat.home, seat.modelUrl, seat.env);
}

const TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'Agent', 'Skill'];

/**
 * Allows tools and the servers of `.mcp.json` without a question. By flags, so that the settings files
 * stay the test's own; and not by bypassing permissions, which the client refuses to root.
 */
export function permissionFlags(seat: Seat): string[] {
  return [
    '--permission-mode',
    'acceptEdits',
    '--allowedTools',
    [...(seat.tools ?? TOOLS), ...(seat.allow ?? [])].join(','),
    '--settings',
    '{"enableAllProjectMcpServers":true}',
  ];
}
