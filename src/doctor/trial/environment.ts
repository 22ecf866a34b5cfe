import { delimiter } from 'node:path';
import { runCommand, type CommandResult, type Environment } from '../../io/run-command.ts';
import type { DoctorContext } from '../types.ts';

/** Runs `--version` of a program. */
export function readVersion(
  program: 'node' | 'claude',
  { environment }: Pick<DoctorContext, 'environment'>,
): CommandResult {
  const [first, ...words] = versionCommand(program, process.platform);
  return runCommand(first, words, terminalEnvironment(environment));
}

/** On Windows, npm installs Claude Code as a script, which needs a shell. All words here are constants. */
export function versionCommand(
  program: 'node' | 'claude',
  platform: NodeJS.Platform,
): [string, ...string[]] {
  return platform === 'win32' && program === 'claude'
    ? ['cmd.exe', '/d', '/s', '/c', 'claude --version']
    : [program, '--version'];
}

/** Without the `node_modules/.bin` folders that npm adds to the PATH while a script runs. */
export function terminalEnvironment(environment: Environment): Environment {
  const kept = (search: string): string =>
    search
      .split(delimiter)
      .filter((folder) => !/(?:^|[\\/])node_modules[\\/]\.bin[\\/]?$/.test(folder))
      .join(delimiter);
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      /^path$/i.test(name) && value !== undefined ? kept(value) : value,
    ]),
  );
}
