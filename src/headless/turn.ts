import { isAbsolute, relative } from 'node:path';
import { compactionWindow, fillPercent } from '../text/context-fill.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import { within, type Client } from './client.ts';
import type { DriveContext, DriverEvent } from './context.ts';
import type { StreamMessage, TokenUsage } from './stream.ts';
import type { TurnEnd, TurnEvidence } from './verdict.ts';

export interface TurnOptions {
  client: Client;
  prompt: string;
  /** Milliseconds until `--step-time` and `--max-time` are used up; null without a limit. */
  timeLeft: { step_time: number | null; time: number | null };
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
export async function runTurn(options: TurnOptions): Promise<TurnEvidence> {
  const { client, signal, silenceMs, timeLeft } = options;
  let evidence: Omit<TurnEvidence, 'end'> = {};
  let lastMessage = Date.now();
  const timers: NodeJS.Timeout[] = [];
  let interrupt = (_end: TurnEnd): void => undefined;
  const interrupted = new Promise<TurnEnd>((settle) => {
    interrupt = settle;
  });
  let onResult = (_end: TurnEnd): void => undefined;
  const result = new Promise<TurnEnd>((settle) => {
    onResult = settle;
  });
  const unlisten = client.listen((message) => {
    lastMessage = Date.now();
    evidence = { ...evidence, [message.kind]: message };
    options.onMessage(message);
    if (message.kind === 'result') onResult({ kind: 'result' });
  });
  const onAbort = (): void => interrupt({ kind: 'interrupted' });
  signal.addEventListener('abort', onAbort);
  for (const limit of ['step_time', 'time'] as const) {
    const left = timeLeft[limit];
    const end: TurnEnd = { kind: 'out_of_time', limit };
    if (left !== null) timers.push(setTimeout(interrupt, Math.max(left, 0), end));
  }
  const look = (): void => {
    if (Date.now() - lastMessage >= silenceMs)
      interrupt({ kind: 'silent', minutes: Math.round(silenceMs / 60_000) });
    else if (options.isOfNoUse()) interrupt({ kind: 'of_no_use' });
  };
  timers.push(setInterval(look, Math.min(silenceMs, LOOK_MS)));
  if (signal.aborted) onAbort();
  else client.prompt(options.prompt);

  const ended = Promise.race([result, client.exited]);
  const end = await Promise.race([ended, interrupted]);
  for (const timer of timers) clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
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
