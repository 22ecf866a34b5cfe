import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../files/read-file.ts';
import { signalGroup, type Environment } from '../files/run-command.ts';
import type { JsonObject } from '../text/json.ts';
import type { DriverMemory } from './driver-memory.ts';
import type { ClientLog } from './run-log.ts';
import { isSameRunningProcess } from './running-process.ts';
import { parseStreamLine, splitLines, type StreamMessage } from './stream.ts';
import type { TurnEnd } from './turn.ts';

export type ClientExit = Extract<TurnEnd, { kind: 'exited' | 'not_started' }>;

/** What a client is started with, and for. */
export interface ClientLaunch {
  program: string;
  args: readonly string[];
  cwd: string;
  environment: Environment;
  log: ClientLog;
  session: string;
  agent: string | null;
  isResumed: boolean;
  wantsReport: boolean;
}

/** How long a client gets to end in order, with its last hooks. */
const END_GRACE_MS = 15_000;
const KILL_AFTER_MS = 3_000;
/** What a client has started may keep its output open after it has ended. */
const CLOSE_MS = 1_000;
/** A client that has just been started answers only when it is ready for its first turn. */
const ANSWER_MS = 10_000;
/** Of what it writes on standard error last. */
const MAX_LAST_WORDS_CHARS = 2_000;

/** One process of Claude Code, which takes prompts and tells what it does. */
export class Client {
  readonly pid: number | null;
  readonly exited: Promise<ClientExit>;
  hasExited = false;
  /** What it counts as spent before its next turn; null if it did not say. */
  costBefore: number | null = 0;
  readonly #child: ChildProcess;
  /** Whoever waits for messages now; there is only one at a time. */
  onMessage: ((message: StreamMessage) => void) | null = null;
  #requests = 0;

  constructor(readonly launch: ClientLaunch) {
    const { program, args, cwd, environment, log } = launch;
    const child = spawn(program, args, {
      cwd,
      env: environment,
      stdio: 'pipe',
      // A process group of its own: Ctrl-C in the terminal reaches the driver, which ends the turn in order.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#child = child;
    this.pid = child.pid ?? null;
    const onPiece = splitLines((line) => {
      for (const message of parseStreamLine(line)) this.onMessage?.(message);
    });
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      log.keepStream(piece);
      onPiece(piece);
    });
    let words = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      log.keepErrors(piece);
      words = `${words}${piece}`.slice(-MAX_LAST_WORDS_CHARS);
    });
    // A client that has ended reads no more.
    child.stdin.on('error', () => undefined);
    this.exited = this.#untilExit(() => words.replace(/\s+/g, ' ').trim());
  }

  async #untilExit(words: () => string): Promise<ClientExit> {
    try {
      const closed = once(this.#child, 'close');
      await Promise.race([once(this.#child, 'exit'), closed]);
      await within(closed, CLOSE_MS);
      const { exitCode: code, signalCode: signal } = this.#child;
      return { kind: 'exited', code, signal, words: words() };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { kind: 'not_started', reason: errorCode(error) ?? error.message };
    } finally {
      this.hasExited = true;
    }
  }

  prompt(text: string): void {
    this.#send({
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text }] },
    });
  }

  /** A question about the session; null without an answer. */
  async ask(subtype: string): Promise<JsonObject | null> {
    const id = this.request(subtype);
    const answer = new Promise<JsonObject | null>((settle) => {
      this.onMessage = (message) => {
        if (message.kind === 'response' && message.request === id)
          settle(message.body);
      };
      void this.exited.then(() => settle(null));
    });
    return within(answer, ANSWER_MS);
  }

  /** Lets the client end by itself, and ends it and everything it started if it does not. */
  async end(): Promise<void> {
    const { pid, exited } = this;
    this.#child.stdin?.end();
    if (pid === null) return;
    if ((await within(exited, END_GRACE_MS)) === null) {
      signalGroup(pid, 'SIGTERM');
      await within(exited, KILL_AFTER_MS);
    }
    // Also after a client that ended in order: what it started in the background must not go on.
    signalGroup(pid, 'SIGKILL');
    await exited;
  }

  /** Returns what the answer is named by. `interrupt` ends the turn; the client stays. */
  request(subtype: string): string {
    this.#requests += 1;
    const request_id = `${subtype}-${this.#requests}`;
    this.#send({ type: 'control_request', request_id, request: { subtype } });
    return request_id;
  }

  #send(message: object): void {
    const { stdin } = this.#child;
    if (stdin?.writable === true) stdin.write(`${JSON.stringify(message)}\n`);
  }
}

/** Null if it takes longer. */
export async function within<T>(
  promise: Promise<T>,
  ms: number,
): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((settle) => {
    timer = setTimeout(settle, ms, null);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** How often to look whether a client has ended that is no child of this process. */
const POLL_MS = 50;

/** Ends a client that a dead driver has left behind, with everything that it started. False if it no longer runs. */
export async function stopOrphan(
  client: NonNullable<DriverMemory['client']>,
): Promise<boolean> {
  const isAtWork = (): boolean => isSameRunningProcess(client, client.session);
  if (!isAtWork()) return false;
  signalGroup(client.pid, 'SIGTERM');
  for (let waited = 0; waited < KILL_AFTER_MS && isAtWork(); waited += POLL_MS)
    await sleep(POLL_MS);
  signalGroup(client.pid, 'SIGKILL');
  return true;
}
