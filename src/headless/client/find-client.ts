import { spawnSync } from 'node:child_process';
import { delimiter, isAbsolute, join } from 'node:path';
import { isAtLeast } from '../../doctor/facts.ts';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import type { Environment } from './environment.ts';
import { isExecutable } from '../../io/is-executable.ts';

export interface FoundClient {
  /** The absolute path: the project must not decide what `claude` is. */
  program: string;
  /** Null if it did not tell. */
  version: string | null;
}

/** The first client with everything that driving needs. */
const LEAST_CLIENT = '2.1.139';

const VERSION_TIMEOUT_MS = 60_000;

/** Throws if there is no client that can be driven. */
export function findClient(environment: Environment): FoundClient {
  const program = clientOnPath(environment['PATH'] ?? '');
  if (program === null) throw new HoldfastError({ code: 'no_client', why: 'is not on the PATH' });
  const answer = spawnSync(program, ['--version'], {
    env: environment,
    encoding: 'utf8',
    timeout: VERSION_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
  });
  if (answer.error !== undefined || answer.status !== 0)
    throw new HoldfastError({ code: 'no_client', why: `(${program}) does not start` });
  const version = /\d+\.\d+\.\d+/.exec(answer.stdout)?.[0] ?? null;
  if (version !== null && !isAtLeast(version, LEAST_CLIENT))
    throw new HoldfastError({
      code: 'client_too_old',
      version,
      least: LEAST_CLIENT,
      missing:
        'hooks that start without a shell, and no --max-budget-usd that counts a whole session',
    });
  return { program, version };
}

/** Folders that npm adds while a script runs belong to the project, so they do not count. */
function clientOnPath(search: string): string | null {
  const names = process.platform === 'win32' ? ['claude.exe'] : ['claude'];
  for (const folder of search.split(delimiter)) {
    if (!isAbsolute(folder) || /(?:^|[\\/])node_modules[\\/]\.bin[\\/]?$/.test(folder)) continue;
    const found = names.map((name) => join(folder, name)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return null;
}
