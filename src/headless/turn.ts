import { isAbsolute, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compactionWindow, fillPercent } from '../text/context-fill.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import { within, type Client } from './client.ts';
import type { DriveContext, DriverEvent } from './context.ts';
import type { StreamMessage, TokenUsage } from './stream.ts';
import type { TurnEnd, TurnEvidence } from './verdict.ts';

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
