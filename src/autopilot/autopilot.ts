import { fillPercent, passedThresholds } from '../text/context-fill.ts';
import type { Client, ContextFill } from './client.ts';
import {
  continueRun,
  SETTLE_AFTER_QUEUED_PROMPT_MS,
  SETTLE_MS,
  watchForAnswer,
} from './continue-run.ts';
import { enqueue, newMemory, type Memory } from './memory.ts';
import { callHoldfast, registerSecret } from './program.ts';
import { mayAct, reportOfOwnRun } from './report.ts';
import { summaryText } from './summary.ts';
import { answerWait, trustTemplate, type AnswerVerb } from './typed-answers.ts';

/** What the events of the client lead to. Nothing here decides what comes next for a run: `holdfast status` does. */
export interface Autopilot {
  /** Where a person can type. The client waits for this before the first prompt, and may say more than once that it starts. */
  clientStarted: (client: Client) => Promise<void>;
  sessionStarted: (client: Client) => void;
  sessionEnded: () => void;
  turnStarted: () => Promise<void>;
  /** The user sent a prompt while a turn runs: it either joins that turn or starts the next one. */
  promptQueued: () => void;
  /** `isAnswer`: the agent ended the turn, rather than the user or an error. */
  turnCompleted: (client: Client, isAnswer: boolean) => void;
  measured: (client: Client, fill: ContextFill) => void;
  /** What the summariser is told; empty if the hooks have to say it. */
  summary: (client: Client) => Promise<string>;
  /** The user typed an answer to an approval step. Returns what to show; null leaves it to the client and its hooks. */
  answer: (
    client: Client,
    verb: AnswerVerb,
    words: string,
  ) => Promise<string | null>;
  /** The user typed the name of a template: that shows its commands. With `yes` behind it, what was shown is allowed. */
  trust: (client: Client, words: string) => Promise<string | null>;
}

export function createAutopilot(): Autopilot {
  const memory = newMemory();
  return {
    async clientStarted(client) {
      memory.secret ??= registerSecret(client);
      await memory.secret;
    },

    sessionStarted(client) {
      memory.firstLook = enqueue(memory, () => lookAtOwnRun(memory, client));
    },

    sessionEnded() {
      const { moment } = memory;
      memory.moment = { ...moment, sessionEnds: moment.sessionEnds + 1 };
      memory.passedThresholds = [];
    },

    async turnStarted() {
      const { moment } = memory;
      memory.moment = { ...moment, turns: moment.turns + 1 };
      memory.hasQueuedPrompt = false;
      // The agent must not move the run before the first look, or its first move would go unnoticed.
      await memory.firstLook;
    },

    promptQueued() {
      memory.hasQueuedPrompt = true;
    },

    turnCompleted(client, isAnswer) {
      const { moment, hasQueuedPrompt } = memory;
      const delay = hasQueuedPrompt ? SETTLE_AFTER_QUEUED_PROMPT_MS : SETTLE_MS;
      const goOn = (): Promise<void> =>
        continueRun(memory, client, moment, isAnswer);
      client.after(delay, () => void enqueue(memory, goOn));
    },

    measured: (client, fill) => reportFill(memory, client, fill),
    summary: (client) => summaryText(memory, client),
    answer: (client, verb, words) => answerWait(memory, client, verb, words),
    trust: (client, words) => trustTemplate(memory, client, words),
  };
}

/** A run that the session already holds was prompted for by the user, so only its next step is prompted for here. */
async function lookAtOwnRun(memory: Memory, client: Client): Promise<void> {
  if (!(await mayAct(client))) return;
  const report = await reportOfOwnRun(memory, client, null);
  memory.promptedFor = report?.position ?? null;
  if (report?.next.stop === 'approval')
    watchForAnswer(memory, client, memory.moment, report);
}

/** Tells holdfast when the fill of the context passes a threshold that it had not passed when it was last measured. */
function reportFill(
  memory: Memory,
  client: Client,
  { tokens, window }: ContextFill,
): void {
  // Missing before the first response, and for a window without a threshold.
  const percent = tokens === undefined ? null : fillPercent(tokens, window);
  if (percent === null) return;

  const passedBefore = memory.passedThresholds;
  // A fill below a threshold means that the context was compacted or cleared since, so it can be passed again.
  const passed = passedThresholds(percent, memory.warnAt);
  memory.passedThresholds = passed;
  if (passed.every((threshold) => passedBefore.includes(threshold))) return;
  void enqueue(memory, async () => {
    if (!(await mayAct(client))) return;
    await callHoldfast(client, ['fill', '--percent', String(percent)]);
  });
}
