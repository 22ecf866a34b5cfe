import { compactionWindow, fillPercent } from '../../util/context-fill.ts';
import { describeActivity } from './activity.ts';
import type { StreamMessage } from '../client/stream-message.ts';
import type { DriveContext } from '../drive-context.ts';
import type { Usage } from '../events.ts';
import { contextTokens, totalTokens, type TurnEvidence } from './turn-evidence.ts';
import type { Verdict } from './verdict.ts';

type ReporterContext = Pick<DriveContext, 'emit' | 'root'> & {
  setup: Pick<DriveContext['setup'], 'environment'>;
};

/** Makes events of what a client does: its tools, its tokens, how full its context is. */
export class TurnReporter {
  #turnTokens = 0;
  #lastMessage = '';
  /** Of the model, once a turn has told it. */
  #window: number | null = null;

  constructor(private readonly context: ReporterContext) {}

  beginTurn(): void {
    this.#turnTokens = 0;
  }

  show(message: StreamMessage): void {
    const { emit, root } = this.context;
    if (message.kind === 'tool') emit(describeActivity(message, root));
    if (message.kind !== 'usage' || message.message === this.#lastMessage) return;
    // A message comes in several lines, each with the usage of the whole.
    this.#lastMessage = message.message;
    this.#turnTokens += totalTokens(message.usage);
    emit({
      event: 'tokens',
      tokens: this.#turnTokens,
      context_percent: this.#fill(contextTokens(message.usage)),
    });
  }

  endTurn({ contextWindow }: TurnEvidence): void {
    this.#window = contextWindow ?? this.#window;
  }

  report(step: string, { kind }: Verdict, evidence: TurnEvidence, usage: Usage): void {
    const tokens = evidence.contextTokens;
    this.context.emit({
      event: 'turn',
      step,
      result: kind,
      usage,
      context_percent: tokens === null ? null : this.#fill(tokens),
    });
  }

  #fill(tokens: number): number | null {
    if (this.#window === null) return null;
    return fillPercent(tokens, compactionWindow(this.#window, this.context.setup.environment));
  }
}
