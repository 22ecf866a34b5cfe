import { sanitizeLine, truncate } from '../text/sanitize.ts';
import type { Client } from './client.ts';

/** As long as the client lets a program run: an approval may run gates. */
const ANSWER_TIMEOUT_MS = 600_000;

/** A longer reason would fill the screen. */
const MAX_REASON_CHARS = 200;

/** Calls holdfast as the agent's module. Programs that a module starts do not know the session, so it is always named. */
export async function callHoldfast(
  client: Client,
  words: readonly string[],
): Promise<string> {
  const program = await programWords(client);
  const session = await client.sessionId();
  const root = await client.projectRoot();
  return client.run([...program, ...words, '--session', session], root);
}

/** Without the session, whose rights are an agent's: what a person types comes with the secret instead. */
export async function callHoldfastForPerson(
  client: Client,
  command: string,
  words: readonly string[],
  secret: string,
): Promise<string> {
  const program = await programWords(client);
  const root = await client.projectRoot();
  const options = { secret, timeoutMs: ANSWER_TIMEOUT_MS };
  return client.run([...program, command, '--proof', ...words], root, options);
}

/** Gives holdfast a new secret of this client. Null if it does not take it: another module was first, or a turn has begun. */
export async function registerSecret(client: Client): Promise<string | null> {
  try {
    if (await client.isSwitchedOff()) return null;
    const secret = client.makeSecret();
    const program = await programWords(client);
    const root = await client.projectRoot();
    await client.run([...program, 'register-client'], root, { secret });
    return secret;
  } catch {
    // A terminal can still answer, and the hooks say so.
    return null;
  }
}

/** Written by `init` beside the module, whose bytes are the same everywhere. In the plugin, holdfast is in the same folder. */
async function programWords(client: Client): Promise<string[]> {
  const file = `${client.pluginRoot}/program.json`;
  if (!(await client.exists(file)))
    return ['node', `${client.pluginRoot}/bin/holdfast.cjs`];
  const program: unknown = JSON.parse(await client.read(file));
  if (!Array.isArray(program))
    throw new Error('program.json is not a list of words');
  return program.map(String);
}

/** `holdfast: $.process.run: ` of the client, or `holdfast: ` of the program. */
const ERROR_PREFIX = /^(?:\S+: \$\.[\w.]+|holdfast): /;

/** Why a call failed. The client puts the names of the plugin and of the call before its own words, and shows ours below our name. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const reason = sanitizeLine(message.replace(ERROR_PREFIX, ''));
  return truncate(reason, MAX_REASON_CHARS);
}

export function wait(client: Client, ms: number): Promise<void> {
  return new Promise((resolve) => client.after(ms, resolve));
}
