import { vi } from 'vitest';
import { createContext } from '../../../src/cli/program.ts';
import type { CommandContext } from '../../../src/commands/view/output.ts';
import { makeColors } from '../../../src/text/colors.ts';
import { makeProject, type Project } from '../../support/project.ts';

export interface Screen {
  project: Project;
  /** The context of a call, with its own clock. */
  cli: (options?: { session?: string; columns?: number; json?: boolean }) => CommandContext;
  /** What the last call printed on standard output, and all that were printed on standard error. */
  printed: () => string;
  data: () => unknown;
  warned: string[];
}

/** A project in which commands are called without a process, and what they print is kept. */
export function screen(files: Record<string, string> = {}): Screen {
  const project = makeProject({ '.git/HEAD': '', ...files });
  vi.stubEnv('HOME', project.outside);
  vi.stubEnv('CLAUDE_CONFIG_DIR', `${project.outside}/config`);
  for (const name of ['CLAUDE_CODE_SESSION_ID', 'CLAUDE_PID', 'CLAUDE_PROJECT_DIR', 'CLAUDECODE'])
    vi.stubEnv(name, undefined);
  let last: { data: object; text: string } = { data: {}, text: '' };
  const warned: string[] = [];
  const cli: Screen['cli'] = ({ session, columns, json = false } = {}) =>
    createContext(
      { cwd: project.root, ...(session === undefined ? {} : { session }) },
      {
        json,
        colors: makeColors(false, undefined),
        columns: columns ?? null,
        result: (data, text) => {
          last = { data, text };
        },
        warn: (message) => warned.push(message),
      },
    );
  return { project, cli, printed: () => last.text, data: () => last.data, warned };
}
