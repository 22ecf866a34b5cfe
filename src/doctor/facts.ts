import { delimiter } from 'node:path';
import { searchFolders } from '../files/is-executable.ts';
import { runCommand, type Environment } from '../files/run-command.ts';
import type { HostName } from '../hosts/hosts.ts';
import type { LivenessContext } from '../sessions/liveness.ts';
import type { CheckedSettings } from '../settings/settings.ts';
import type { Store } from '../state/store/store.ts';
import {
  readClientSettings,
  type ClientFolders,
  type ClientSettings,
} from './client-settings.ts';

export interface DoctorInput extends LivenessContext, ClientFolders {
  host: HostName;
  /** Claude Code's own file about the user and the projects (`~/.claude.json`). */
  hostFile: string;
  environment: Environment;
  settings: CheckedSettings;
  store: Store;
  version: string;
  packageFolder: string;
}

export interface Facts extends DoctorInput, ClientSettings {
  /** The version of the `node` on the PATH, which hooks run; null if there is none. */
  node: string | null;
  /** The version of the client on the PATH; null if there is none, or it did not report one. */
  client: string | null;
}

export function readFacts(input: DoctorInput): Facts {
  const name =
    Object.keys(input.environment).find((key) => /^path$/i.test(key)) ?? 'PATH';
  const folders = searchFolders(input.environment[name]);
  const environment = { ...input.environment, [name]: folders.join(delimiter) };
  // On Windows, npm installs Claude Code as a script, which needs a shell.
  const claude =
    process.platform === 'win32'
      ? versionFrom(
          'cmd.exe',
          ['/d', '/s', '/c', 'claude --version'],
          environment,
        )
      : versionFrom('claude', ['--version'], environment);
  return {
    ...input,
    environment,
    ...readClientSettings(input),
    node: versionFrom('node', ['--version'], environment),
    client: claude,
  };
}

/** Older clients are not tested, and cannot be driven. */
export const LEAST_CLIENT = '2.1.139';

/** null if the program does not start, or reports no version. */
export function versionFrom(
  program: string,
  words: readonly string[],
  environment: Environment,
  timeoutMs = 5_000,
): string | null {
  const answer = runCommand(program, words, environment, { timeoutMs });
  return answer.kind === 'ended'
    ? (/\d+\.\d+\.\d+/.exec(answer.stdout)?.[0] ?? null)
    : null;
}
