import type { ModuleStatusDocument } from '../commands/json/documents.ts';
import { type JsonObject, parseJsonObject } from '../text/json.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import { version } from '../text/version.ts';
import { fillPercent } from '../text/context-fill.ts';
import type { Client, ContextFill } from './client.ts';

/** Prompts and commands that were queued during a turn run first. A queued prompt starts its turn after about 150 ms. */
const SETTLE_MS = 400;
const SETTLE_AFTER_QUEUED_PROMPT_MS = 3_000;
const POLL_MS = 1_000;
const POLL_FOR_ANSWER_MS = 2_000;
/** Ten minutes, one poll a second. */
const MAX_POLLS_FOR_USER = 600;
/** Four seconds, one poll each `SETTLE_MS`. */
const MAX_POLLS_FOR_HOOKS = 10;
/** As long as the client lets a program run: an approval may run gates. */
const ANSWER_TIMEOUT_MS = 600_000;

/** What the module reads of `holdfast status --module`. */
export type ModuleReport = Pick<
  ModuleStatusDocument,
  | 'format'
  | 'holder'
  | 'runId'
  | 'revision'
  | 'next'
  | 'position'
  | 'wait'
  | 'toldWait'
  | 'told'
  | 'summary'
  | 'asksModel'
  | 'warnAt'
>;

/** A longer reason would fill the screen. */
const MAX_REASON_CHARS = 200;

/** Counts what has begun and ended in this client: if a count has changed, something happened since. */
interface Moment {
  readonly turns: number;
  readonly sessionEnds: number;
}

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
    verb: string,
    words: string,
  ) => Promise<string | null>;
  /** The user typed the name of a template: that shows its commands. With `yes` behind it, what was shown is allowed. */
  trust: (client: Client, words: string) => Promise<string | null>;
}

export function createAutopilot(): Autopilot {
  let now: Moment = { turns: 0, sessionEnds: 0 };
  /** The position that this session was last prompted for. */
  let prompted: string | null = null;
  /** The position of a step that waits for the user's word, for which the context was compacted or cleared here. */
  let prepared: string | null = null;
  let hasQueuedPrompt = false;
  let hasActed = false;
  let announcedStop = '';
  /** What waited for an answer when this was last said on the screen here. */
  let shownWait: string | null = null;
  let warnAt: readonly number[] = [];
  let reported: readonly number[] = [];
  let jobs: Promise<void> = Promise.resolve();
  let firstLook: Promise<void> = jobs;
  /** What proves to holdfast that a person typed something here; null where holdfast does not take it. */
  let secret: Promise<string | null> | null = null;
  /** The template that a person named → the content whose commands they have seen. */
  const seen = new Map<string, string>();

  return {
    async clientStarted(client: Client): Promise<void> {
      secret ??= bringSecret(client);
      await secret;
    },

    sessionStarted(client: Client): void {
      firstLook = enqueue(async () => {
        if (!(await mayAct(client))) return;
        // A run that the session already holds was prompted for by the user, so only its next step is ours.
        const report = await look(client, null);
        prompted = report?.position ?? null;
        if (report?.next.stop === 'approval')
          watchForAnswer(client, now, report);
      });
    },

    sessionEnded(): void {
      now = { ...now, sessionEnds: now.sessionEnds + 1 };
      reported = [];
    },

    async turnStarted(): Promise<void> {
      now = { ...now, turns: now.turns + 1 };
      hasQueuedPrompt = false;
      // The agent must not move the run before the first look, or its first move would go unnoticed.
      await firstLook;
    },

    promptQueued(): void {
      hasQueuedPrompt = true;
    },

    turnCompleted(client: Client, isAnswer: boolean): void {
      const turnEnd = now;
      const delay = hasQueuedPrompt ? SETTLE_AFTER_QUEUED_PROMPT_MS : SETTLE_MS;
      client.after(delay, () => {
        void enqueue(() => continueRun(client, turnEnd, isAnswer));
      });
    },

    measured(client: Client, { tokens, window }: ContextFill): void {
      // Missing before the first response, and for a window without a threshold.
      const percent = tokens === undefined ? null : fillPercent(tokens, window);
      if (percent === null) return;
      // A fill below a threshold means that the context was compacted or cleared since.
      const passed = warnAt.filter((threshold) => percent >= threshold);
      const isNew = passed.some((threshold) => !reported.includes(threshold));
      reported = passed;
      if (!isNew) return;
      void enqueue(async () => {
        if (await mayAct(client))
          await holdfast(client, ['fill', '--percent', String(percent)]);
      });
    },

    async summary(client: Client): Promise<string> {
      try {
        if (!(await mayAct(client))) return '';
        const report = await look(client, prompted);
        if (report === null) return '';
        const isNoted =
          report.asksModel && (await noteLastWord(client, report.runId));
        // The note belongs into the text.
        const latest = isNoted ? await look(client, prompted) : report;
        return latest?.summary ?? '';
      } catch {
        // The compaction must go on, whatever is wrong with holdfast.
        return '';
      }
    },

    async answer(
      client: Client,
      verb: string,
      words: string,
    ): Promise<string | null> {
      const proof = await secret;
      if (proof === null) return null;
      if (verb === 'reject' && words === '')
        return 'Say what has to change: /holdfast:reject <feedback>';
      const option = verb === 'reject' ? 'feedback' : 'note';
      let current: string | null = null;
      try {
        const report = await look(client, prompted);
        if (report === null)
          return 'This session holds no run that could wait for your answer.';
        current = report.wait;
        const seenId = seenWait(report);
        if (seenId === null) return showWait(report);
        const flags = words === '' ? [] : [`--${option}=${words}`];
        const call = [verb, report.runId, '--for', seenId, ...flags];
        const text = await holdfastForPerson(client, call, proof);
        const answered = now;
        hasActed = true;
        client.after(SETTLE_MS, () => {
          void enqueue(() => continueRun(client, answered, true));
        });
        return text.split('\n', 1)[0] ?? '';
      } catch (error) {
        // A refusal because something else waits by now names that, so the next answer may be for it.
        shownWait = current;
        return reasonOf(error);
      }
    },

    async trust(client: Client, words: string): Promise<string | null> {
      const proof = await secret;
      if (proof === null) return null;
      // `my-template`, `my-template yes`
      const [, named = '', confirmed] = /^(.*?)(\s+yes)?$/s.exec(words) ?? [];
      if (named === '') return 'Name the template: /holdfast:trust <template>';
      const hash = confirmed === undefined ? undefined : seen.get(named);
      const flags = hash === undefined ? [] : [`--seen=${hash}`];
      try {
        const call = ['trust', '--json', ...flags, '--', named];
        const reply = parseJsonObject(
          await holdfastForPerson(client, call, proof),
        );
        const told = String(reply['told']);
        if (reply['trusted'] !== false || typeof reply['hash'] !== 'string')
          return told;
        seen.set(named, reply['hash']);
        return `${told}\nTo allow exactly this, type /holdfast:trust ${named} yes`;
      } catch (error) {
        return reasonOf(error);
      }
    },
  };

  /** One job at a time, in the order of the events. */
  function enqueue(job: () => Promise<void>): Promise<void> {
    // A call that this client does not have, or holdfast being gone, leaves the step asking the user as it always does.
    jobs = jobs.then(job).catch(() => undefined);
    return jobs;
  }

  async function continueRun(
    client: Client,
    since: Moment,
    isAnswer: boolean,
  ): Promise<void> {
    if (!isNow(since) || !(await mayAct(client))) return;
    const report = await look(client, prompted);
    // After an interruption or an error the user decides.
    if (report === null || !isAnswer) return;
    const { next, position } = report;
    if (next.stop === 'approval') watchForAnswer(client, since, report);
    const isToPrepare = next.perform !== 'none' && position !== prepared;
    const goesOn = next.prompt !== null || isToPrepare;
    if (!goesOn || position === null) return announceStop(client, report);
    const idle = await untilUserIsIdle(client, since);
    if (idle === 'ended') return;
    // Meanwhile the run may have been paused or moved from elsewhere.
    if (idle === 'waited') return continueRun(client, since, isAnswer);

    hasActed = true;
    if (next.prompt === null) {
      prepared = position;
      return prepareStep(client, report);
    }
    prompted = position;
    if (next.perform === 'none') return submit(client, next.prompt);
    const prompt = await performAction(
      client,
      next.perform,
      report,
      since.turns,
    );
    if (prompt !== null) await submit(client, prompt);
  }

  /** Answers may come from anywhere: the client that waits goes on by itself once the run has changed. */
  function watchForAnswer(
    client: Client,
    since: Moment,
    waiting: ModuleReport,
  ): void {
    client.after(POLL_FOR_ANSWER_MS, () => {
      void enqueue(async () => {
        if (!isNow(since)) return;
        const revision = await revisionOf(client, waiting.runId);
        if (revision === waiting.revision)
          watchForAnswer(client, since, waiting);
        else await continueRun(client, since, true);
      });
    });
  }

  /** The step waits for the user's word: the conversation is made ready for it, and nobody is prompted. */
  async function prepareStep(
    client: Client,
    report: ModuleReport,
  ): Promise<void> {
    const { perform } = report.next;
    if (perform === 'none' || !(await ranAction(client, perform))) return;
    client.say(report.told);
    await wait(client, SETTLE_MS);
    const latest = await look(client, prompted);
    if (latest !== null) announceStop(client, latest);
  }

  /** Whether `/compact` or `/clear` could be run; what went wrong is said. */
  async function ranAction(
    client: Client,
    action: 'compact' | 'clear',
  ): Promise<boolean> {
    try {
      await (action === 'clear' ? client.clear() : client.compact());
      return true;
    } catch (error) {
      client.say(
        `Could not run /${action} for you: ${reasonOf(error)}. Type /${action} yourself, then tell the agent to continue.`,
      );
      return false;
    }
  }

  /** The prompt that continues the run; null if the action failed or the user was faster. */
  async function performAction(
    client: Client,
    action: 'compact' | 'clear',
    report: ModuleReport,
    turns: number,
  ): Promise<string | null> {
    if (!(await ranAction(client, action))) return null;
    client.say(report.told);
    const prompt = await promptAfter(client, report.position);
    if (prompt === null)
      client.say(
        `Ran /${action}, but the hooks of holdfast did not see it. Run \`holdfast doctor\`; the run waits for you.`,
      );

    const isUserFaster = now.turns !== turns || (await client.draft()) !== '';
    return isUserFaster ? null : prompt;
  }

  /** The hooks record what happened; until they have, the agent would be prompted without its guidance. */
  async function promptAfter(
    client: Client,
    position: string | null,
  ): Promise<string | null> {
    for (let poll = 0; poll < MAX_POLLS_FOR_HOOKS; poll += 1) {
      await wait(client, SETTLE_MS);
      const report = await look(client, null);
      if (report?.position === position && report.next.perform === 'none')
        return report.next.prompt;
    }
    return null;
  }

  async function submit(client: Client, prompt: string): Promise<void> {
    try {
      await client.submit(prompt);
    } catch (error) {
      client.say(
        `Could not prompt the agent for the next step: ${reasonOf(error)}. Tell the agent to continue.`,
      );
    }
  }

  /**
   * `waited`: time has passed, so what was known of the run may be outdated.
   * `ended`: another turn or session has begun, or the user did not become idle.
   */
  async function untilUserIsIdle(
    client: Client,
    since: Moment,
  ): Promise<'at once' | 'waited' | 'ended'> {
    for (let poll = 0; poll < MAX_POLLS_FOR_USER && isNow(since); poll += 1) {
      const isIdle =
        (await client.draft()) === '' && !(await client.hasRunningAgents());
      if (isIdle && isNow(since)) return poll === 0 ? 'at once' : 'waited';
      await wait(client, POLL_MS);
    }
    return 'ended';
  }

  /** Once for each place where a run stops that was continued here. */
  function announceStop(client: Client, report: ModuleReport): void {
    const { next, told } = report;
    if (!hasActed || next.stop === null || told === announcedStop) return;
    announcedStop = told;
    shownWait = report.wait;
    client.say(told);
  }

  /**
   * What an answer of the user is for: not what waits now, which nobody may have seen yet, but what was told to the session
   * or said here. Null if nothing was.
   */
  function seenWait(report: ModuleReport): string | null {
    const isShown = report.wait !== null && report.wait === shownWait;
    return isShown ? report.wait : report.toldWait;
  }

  /** Says what waits; from then on it can be answered. */
  function showWait(report: ModuleReport): string {
    shownWait = report.wait;
    return report.wait === null
      ? 'Nothing in this run waits for your answer.'
      : `${report.told} It was not shown in this session yet: look at it, then answer again.`;
  }

  /** The run of this session; null if it holds none. */
  async function look(
    client: Client,
    lastPrompted: string | null,
  ): Promise<ModuleReport | null> {
    const options = lastPrompted === null ? [] : ['--prompted', lastPrompted];
    // `doctor` tells by the version which module was loaded, and when.
    const words = [
      'status',
      '--look',
      '--json',
      '--module',
      version,
      ...options,
    ];
    const json = parseJsonObject(await holdfast(client, words));
    const report = isReport(json) ? json : null;
    warnAt = report?.warnAt ?? [];
    // `status` also shows the run of another session if there is no other one.
    return report?.holder === (await client.sessionId()) ? report : null;
  }

  function isNow({ turns, sessionEnds }: Moment): boolean {
    return now.turns === turns && now.sessionEnds === sessionEnds;
  }
}

/** Not if there is no run, or if holdfast was updated while the client runs. */
const isReport = (json: JsonObject): json is JsonObject & ModuleReport =>
  json['format'] === 1;

/** A compaction waits for the answer, but not for ever. */
const MAX_ANSWER_MS = 60_000;

/** What the model is asked before a compaction. */
const LAST_WORD = `The context is about to be compacted. The workflow run of this session keeps its phase, required reading, reminders and notes. Which decisions with their reasons, failed attempts, agreements with the user and places of unfinished work will later phases need that are not recorded there yet? Your answer replaces the last one to this question, so repeat what still counts. Answer in at most 1,500 characters, one point a line, without any other words; if there is nothing: nothing`;

/** Keeps as a note what the model knows and the run does not. Whatever fails, the compaction goes on. */
async function noteLastWord(client: Client, runId: string): Promise<boolean> {
  try {
    const answer = await Promise.race([
      client.ask(LAST_WORD),
      wait(client, MAX_ANSWER_MS).then(() => ''),
    ]);
    // A text that begins with a dash would be taken for an option.
    const text = answer.replace(/^[\s-]+/, '');
    if (text === '' || /^nothing\W*$/i.test(text)) return false;
    await holdfast(client, ['note', text, '--model', '--run', runId]);
    return true;
  } catch {
    return false;
  }
}

async function mayAct(client: Client): Promise<boolean> {
  if ((await client.isSwitchedOff()) || !(await client.isAttended()))
    return false;
  return (await folderWithRuns(client)) !== null;
}

/** Most turns end in projects without a run, for which this is null: they should not start a process. */
async function folderWithRuns(client: Client): Promise<string | null> {
  const parts = (await client.projectRoot()).split(/[\\/]/);
  for (let depth = parts.length; depth > 0; depth -= 1) {
    const folder = parts.slice(0, depth).join('/');
    if (await client.exists(`${folder}/untracked/workflow-state`))
      return folder;
  }
  return null;
}

/** How often the state file of a run was written; null if it is gone. */
async function revisionOf(
  client: Client,
  runId: string,
): Promise<number | null> {
  const slug = runId.replace(/-\d{8}_\d{6}.*$/, '');
  const folder = (await folderWithRuns(client)) ?? '';
  const file = `${folder}/untracked/workflow-state/${slug}/state-${runId}.json`;
  if (!(await client.exists(file))) return null;
  const text = await client.read(file);
  const [, revision = '0'] = /"revision": (\d+)/.exec(text) ?? [];
  return Number(revision);
}

/** Programs that a module starts do not know the session, so it is always named. */
async function holdfast(
  client: Client,
  words: readonly string[],
): Promise<string> {
  const session = await client.sessionId();
  const root = await client.projectRoot();
  return client.run(
    [...(await holdfastProgram(client)), ...words, '--session', session],
    root,
  );
}

/** Without the session, whose rights are an agent's: what a person types comes with the secret instead. */
async function holdfastForPerson(
  client: Client,
  [verb = '', ...words]: readonly string[],
  secret: string,
): Promise<string> {
  const argv = [...(await holdfastProgram(client)), verb, '--proof', ...words];
  const options = { secret, timeoutMs: ANSWER_TIMEOUT_MS };
  return client.run(argv, await client.projectRoot(), options);
}

/** Null if holdfast does not take it: another module was first, or a turn has begun. */
async function bringSecret(client: Client): Promise<string | null> {
  try {
    if (await client.isSwitchedOff()) return null;
    const secret = client.makeSecret();
    const argv = [...(await holdfastProgram(client)), 'register-client'];
    await client.run(argv, await client.projectRoot(), { secret });
    return secret;
  } catch {
    // A terminal can still answer, and the hooks say so.
    return null;
  }
}

/** Written by `init` beside the module, whose bytes are the same everywhere. In the plugin, holdfast is in the same folder. */
async function holdfastProgram(client: Client): Promise<string[]> {
  const file = `${client.pluginRoot}/program.json`;
  if (!(await client.exists(file)))
    return ['node', `${client.pluginRoot}/bin/holdfast.cjs`];
  const program: unknown = JSON.parse(await client.read(file));
  if (!Array.isArray(program))
    throw new Error('program.json is not a list of words');
  return program.map(String);
}

function wait(client: Client, ms: number): Promise<void> {
  return new Promise((resolve) => client.after(ms, resolve));
}

/** The client puts the names of the plugin and of the call before its own words, and shows ours below our name. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const reason = sanitizeLine(message.replace(ERROR_PREFIX, ''));
  return truncate(reason, MAX_REASON_CHARS);
}

/** `holdfast: $.process.run: ` of the client, or `holdfast: ` of the program. */
const ERROR_PREFIX = /^(?:\S+: \$\.[\w.]+|holdfast): /;
