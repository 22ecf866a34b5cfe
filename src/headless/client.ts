import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { isAbsolute, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../files/read-file.ts';
import { signalGroup, type Environment } from '../files/run-command.ts';
import type { JsonObject } from '../text/json.ts';
import { compactionWindow, fillPercent } from '../text/context-fill.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import { isSameRunningProcess, type ClientLog, type DriverMemory } from './record.ts';
import { parseStreamLine, splitLines, type StreamMessage, type TokenUsage } from './stream.ts';
import type { TurnEnd, TurnEvidence } from './verdict.ts';
import type { DriveContext, DriverEvent } from './context.ts';

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
const MAX_WORDS = 2_000;

/** One process of Claude Code, which takes prompts and tells what it does. */
export class Client {
  readonly pid: number | null;
  readonly exited: Promise<ClientExit>;
  hasExited = false;
  /** What it counts as spent before its next turn; null if it did not say. */
  costBefore: number | null = 0;
  readonly #child: ChildProcess;
  readonly #listeners = new Set<(message: StreamMessage) => void>();
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
      for (const message of parseStreamLine(line))
        for (const listener of this.#listeners) listener(message);
    });
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      log.keepStream(piece);
      onPiece(piece);
    });
    let words = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      log.keepErrors(piece);
      words = `${words}${piece}`.slice(-MAX_WORDS);
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

  /** Calls the listener for every message from now on; returns a function that ends that. */
  listen(listener: (message: StreamMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  prompt(text: string): void {
    this.#send({ type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } });
  }

  /** Ends the turn; the client stays. */
  interrupt(): void {
    this.#request('interrupt');
  }

  /** A question about the session; null without an answer. */
  async ask(subtype: string): Promise<JsonObject | null> {
    const id = this.#request(subtype);
    let unlisten = (): void => undefined;
    const answer = new Promise<JsonObject | null>((settle) => {
      unlisten = this.listen((message) => {
        if (message.kind === 'response' && message.request === id) settle(message.body);
      });
      void this.exited.then(() => settle(null));
    });
    return within(answer, ANSWER_MS).finally(unlisten);
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

  #request(subtype: string): string {
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
async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((settle) => {
    timer = setTimeout(settle, ms, null);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const POLL_MS = 50;

/** Ends a client that a dead driver has left behind, with everything that it started. False if it no longer runs. */
export async function stopOrphan(client: NonNullable<DriverMemory['client']>): Promise<boolean> {
  const isAtWork = (): boolean => isSameRunningProcess(client, client.session);
  if (!isAtWork()) return false;
  signalGroup(client.pid, 'SIGTERM');
  for (let waited = 0; waited < KILL_AFTER_MS && isAtWork(); waited += POLL_MS)
    await sleep(POLL_MS);
  signalGroup(client.pid, 'SIGKILL');
  return true;
}

export interface TurnOptions {
  prompt: string;
  /** The limit that is used up; null while there is time left. */
  outOfTime: () => 'step_time' | 'time' | null;
  /** After this long without a message, the client counts as hanging. */
  silenceMs: number;
  /** Whether the turn is of no use any more; asked now and then. */
  isOfNoUse: () => boolean;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  onMessage: (message: StreamMessage) => void;
}

/** How long a client that was interrupted gets to end its turn. */
const INTERRUPT_MS = 5_000;
const LOOK_MS = 1_000;

/** Sends one prompt and collects what the stream says until the turn ends, one way or the other. */
export async function runTurn(client: Client, options: TurnOptions): Promise<TurnEvidence> {
  const { signal, silenceMs } = options;
  let evidence: Omit<TurnEvidence, 'end'> = {};
  let lastMessage = Date.now();
  let unlisten = (): void => undefined;
  const answered = new Promise<TurnEnd>((settle) => {
    unlisten = client.listen((message) => {
      lastMessage = Date.now();
      evidence = { ...evidence, [message.kind]: message };
      options.onMessage(message);
      if (message.kind === 'result') settle({ kind: 'result' });
    });
  });
  const ended = Promise.race([answered, client.exited]);
  const reasonToEnd = (): TurnEnd | null => {
    if (signal.aborted) return { kind: 'interrupted' };
    const limit = options.outOfTime();
    if (limit !== null) return { kind: 'out_of_time', limit };
    if (Date.now() - lastMessage >= silenceMs)
      return { kind: 'silent', minutes: Math.round(silenceMs / 60_000) };
    return options.isOfNoUse() ? { kind: 'of_no_use' } : null;
  };
  if (!signal.aborted) client.prompt(options.prompt);
  let end = reasonToEnd();
  while (end === null) {
    // Ctrl-C ends the wait.
    const look = sleep(Math.min(silenceMs, LOOK_MS), null, { signal, ref: false });
    end = (await Promise.race([ended, look.catch(() => null)])) ?? reasonToEnd();
  }
  // The client is asked to end its turn, so that its conversation stays in order.
  if (end.kind !== 'result' && !client.hasExited) {
    client.interrupt();
    await within(ended, INTERRUPT_MS);
  }
  unlisten();
  return { ...evidence, end };
}

/** Makes events of what a client does: its tools, its tokens, how full its context is. */
export class TurnReporter {
  #turnTokens = 0;
  #lastMessage = '';
  /** Of the model, once a turn has told it. */
  #window: number | null = null;

  constructor(private readonly context: DriveContext) {}

  beginTurn(): void {
    this.#turnTokens = 0;
  }

  show(message: StreamMessage): void {
    const { emit, root } = this.context;
    if (message.kind === 'tool') emit(describeActivity(message, root));
    if (message.kind === 'result') this.#window = message.contextWindow ?? this.#window;
    // A message comes in several lines, each with the usage of the whole.
    if (message.kind !== 'usage' || message.message === this.#lastMessage) return;
    this.#lastMessage = message.message;
    this.#turnTokens += message.usage.input + message.usage.output;
    const context_percent = this.fill(message.usage);
    emit({ event: 'tokens', tokens: this.#turnTokens, context_percent });
  }

  /** Percent of the context that a request has filled; null if nobody knows. */
  fill(usage: TokenUsage | undefined): number | null {
    if (this.#window === null || usage === undefined) return null;
    const window = compactionWindow(this.#window, this.context.setup.environment);
    return fillPercent(usage.input, window);
  }
}

const MAX_TARGET = 120;
const FILES = ['file_path', 'path', 'notebook_path'];
const WORDS = ['command', 'pattern', 'query', 'url', 'description', 'skill'];

/** What a tool is used on, in a few words: a file of the project, a command, or what is searched for. */
function describeActivity(
  { name, input, isOfSubAgent }: Extract<StreamMessage, { kind: 'tool' }>,
  root: string,
): DriverEvent {
  const first = (keys: string[]): string | undefined =>
    keys
      .map((key) => input[key])
      .find((value): value is string => typeof value === 'string' && value !== '');
  const file = first(FILES);
  const inside = file !== undefined && isAbsolute(file) ? relative(root, file) : file;
  const target = (inside?.startsWith('..') === true ? file : inside) ?? first(WORDS) ?? '';
  return {
    event: 'activity',
    tool: truncate(sanitizeLine(name), MAX_TARGET),
    target: truncate(sanitizeLine(target.split('\n')[0] ?? ''), MAX_TARGET),
    sub_agent: isOfSubAgent,
  };
}
