import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { clientsFolder } from '../files/environment.ts';
import {
  errorCode,
  modifiedAt,
  namesIfReadable,
  readTextFile,
  removeIfThere,
  unlessRefused,
} from '../files/read-file.ts';
import { readStdin } from '../files/streams.ts';
import { type ClientProcess, clientProcess } from './client-process.ts';

// The module inside Claude Code makes a secret when the client starts, keeps it in the client's memory only, and sends it
// with what a person types there. Here is kept its hash, in one file for each client process. Whoever makes that file
// first has it for good: the module, which starts before the first prompt, or bin/hook.sh, which makes it empty at the first
// event of a turn. So an agent can bring no secret of its own, also where no module runs.

/** 32 random bytes, as the module writes them. */
const SECRET = /^[0-9a-f]{64}$/;
const MAX_INPUT_BYTES = 1_000;
const HASH_CHARS = 64;
/** A client of another container cannot be seen from here, so its file is kept for as long as it may run. */
const KEPT_FOR_MS = 30 * 24 * 3_600_000;

/** The client whose module, hook or agent has started this process. */
export const startingClient = (): ClientProcess | null =>
  clientProcess(String(process.ppid));

/** What is piped into this process, if it is a secret. Nobody types one, so a terminal is not read. */
export function secretFromStdin(): string | null {
  if (process.stdin.isTTY) return null;
  const text = readStdin(MAX_INPUT_BYTES)?.trim() ?? '';
  return SECRET.test(text) ? text : null;
}

/** Whether the secret is now that of the client; not if the client has one, or if its first turn has begun. */
export function keepSecret(
  config: string,
  client: ClientProcess,
  secret: string,
  now: Date,
): boolean {
  const file = clientFile(config, client);
  try {
    mkdirSync(clientsFolder(config), { recursive: true, mode: 0o700 });
    // Fails if there is a file: of two calls at once one gets it.
    writeFileSync(file, hashOf(secret), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  forgetGoneClients(config, now);
  return true;
}

/** How long the comparison takes tells something about the hash at most, from which no secret can be made. */
export function isSecretOf(
  config: string,
  client: ClientProcess,
  secret: string,
): boolean {
  const file = readTextFile(clientFile(config, client), HASH_CHARS, 'refused');
  return file.kind === 'text' && file.text === hashOf(secret);
}

/** Named as bin/hook.sh names it: by process id and start in clock ticks, which is empty where it cannot be read. */
export function clientFile(
  config: string,
  { pid, start }: ClientProcess,
): string {
  const ticks = start?.split('-').at(-1) ?? '';
  return join(clientsFolder(config), `${pid}-${ticks}`);
}

const hashOf = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex');

function forgetGoneClients(config: string, now: Date): void {
  for (const name of namesIfReadable(clientsFolder(config))) {
    const path = join(clientsFolder(config), name);
    const age = now.getTime() - (modifiedAt(path) ?? now.getTime());
    if (age > KEPT_FOR_MS && !isKnownToRun(config, name))
      unlessRefused(() => removeIfThere(path));
  }
}

function isKnownToRun(config: string, name: string): boolean {
  const [pid] = name.split('-');
  const running = clientProcess(pid);
  // Without its start, a process cannot be told from another one that has the same id by now.
  if (running === null || running.start === null) return false;
  return basename(clientFile(config, running)) === name;
}
