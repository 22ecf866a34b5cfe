import { HoldfastError } from '../errors/holdfast-error.ts';
import { errorCode } from '../io/read-file.ts';
import {
  currentRun,
  recordCompaction,
  recordDrivenEvent,
  releaseFromDriver,
} from '../operations/drive.ts';
import { failRun } from '../operations/fail.ts';
import { nextDrivenStep } from '../operations/next-action.ts';
import { requestedAdvance } from '../operations/requested-advance.ts';
import { unreachable } from '../util/unreachable.ts';
import { compactionWindow, fillPercent } from '../util/context-fill.ts';
import { adoptClient } from './client/client-process.ts';
import type { StreamMessage } from './client/stream-message.ts';
import { END_GRACE_MS, prepareClient, type WorkingClient } from './client-session.ts';
import { describeActivity } from './activity.ts';
import type { DriveContext } from './drive-context.ts';
import { isRunningClient } from './driver-record.ts';
import {
  budgetLeft,
  isStuck,
  NOTHING_SPENT,
  turnCost,
  usedUp,
  waitBefore,
  waitForReset,
  withTurn,
  type Spending,
} from './limits.ts';
import { askAgainPrompt } from './prompts.ts';
import { performMove } from './requested-move.ts';
import { sleepUntilAborted } from './sleep.ts';
import { stepAt, type StepAt } from './step-at.ts';
import type { Stop } from './stop.ts';
import { StepTally } from './step-tally.ts';
import { treeMark } from './tree-mark.ts';
import { runTurn } from './turn.ts';
import { contextTokens, totalTokens, type TurnEvidence } from './turn-evidence.ts';
import { judgeTurn, type RunMoment, type TurnStop, type Verdict } from './verdict.ts';

export interface DriveResult {
  stop: Stop;
  spent: Spending;
  elapsedMs: number;
  tally: StepTally;
}

/** Drives a run until something stops it. What comes next is decided by `nextAction` alone. */
export async function drive(context: DriveContext): Promise<DriveResult> {
  const driver = new Driver(context);
  try {
    const stop = await driver.run();
    return { stop, ...driver.result() };
  } finally {
    await driver.end();
  }
}

/** What the agent is told next, if it is not the prompt of the next action. */
interface Instead {
  position: string;
  prompt: string;
  isAskedAgain: boolean;
}

class Driver {
  #working: WorkingClient | null = null;
  #spent: Spending = NOTHING_SPENT;
  #instead: Instead | null = null;
  #tries = 0;
  #marks: string[] = [];
  #turnTokens = 0;
  #lastMessage = '';
  /** Of the model, once a turn has told it. */
  #window: number | null = null;
  readonly #started = Date.now();
  readonly #tally = new StepTally();

  constructor(private readonly context: DriveContext) {}

  result(): Omit<DriveResult, 'stop'> {
    return { spent: this.#spent, elapsedMs: this.#elapsed(), tally: this.#tally };
  }

  async run(): Promise<Stop> {
    const { context } = this;
    const orphan = await this.#waitForOrphan();
    if (orphan !== null) return orphan;
    for (;;) {
      if (context.signal.aborted) return { reason: 'interrupted' };
      const stop = this.#logRefused() ?? (await this.#goOnIfWritable());
      if (stop !== null) return stop;
    }
  }

  #logRefused(): Stop | null {
    const { log } = this.context;
    const problem = log.problem();
    return problem === null ? null : { reason: 'log', folder: log.folder, problem };
  }

  /** A disk that is full refuses the record of the driver and the files of the next client as well. */
  async #goOnIfWritable(): Promise<Stop | null> {
    try {
      return await this.#goOn();
    } catch (error) {
      const refused = isRefusedWrite(error) ? this.#logRefused() : null;
      if (refused === null) throw error;
      return refused;
    }
  }

  /** One turn, or one move; null if the run goes on. */
  async #goOn(): Promise<Stop | null> {
    const { context } = this;
    const { runId, options } = context;
    const run = currentRun(context.open(null), runId);
    const at = run === null ? null : stepAt(run);
    const ended = this.#tally.enter(at, Date.now());
    if (ended !== null) this.#stepEnded(ended);
    if (run === null || at === null) return { reason: 'done' };
    const { next, position } = nextDrivenStep(run, null);
    if (ended !== null && options.isStepwise && next.stop !== 'done' && ended.step !== at.step)
      return { reason: 'step' };
    if (next.stop !== null)
      return next.stop === 'failed'
        ? { reason: 'failed', why: run.state.status_reason ?? '' }
        : { reason: next.stop };
    if (position === null || next.prompt === null) return { reason: 'waiting' };

    const request = requestedAdvance(run);
    if (request !== null) return this.#move(at, request);
    const over = this.#overLimit();
    if (over !== null) return over;
    if (this.#tally.isNew(at)) {
      this.#marks = [];
      const { step, label, number, total } = at;
      context.emit({ event: 'step', step, label, number, total, attempt: at.attempt });
    }

    const instead = this.#instead?.position === position ? this.#instead : null;
    this.#instead = null;
    const { working, compactFirst } = await prepareClient(context, this.#working, {
      perform: next.perform,
      agent: at.agent,
      entry: at.entry,
      step: at.step,
      template: at.templateRun.template,
      wantsReport: instead?.isAskedAgain ?? false,
      budgetLeft: budgetLeft(options.limits, this.#spent),
    });
    this.#working = working;
    if (compactFirst) return this.#compact(working, position);
    const evidence = await this.#turn(working, instead?.prompt ?? next.prompt);
    const verdict = judgeTurn({
      before: position,
      after: this.#moment(),
      evidence,
      wasAskedAgain: instead?.isAskedAgain ?? false,
    });
    this.#reportTurn(at, verdict, evidence);
    return this.#follow(verdict, { at, working, position, evidence, instead });
  }

  async #follow(
    verdict: Verdict,
    turn: {
      at: StepAt;
      working: WorkingClient;
      position: string;
      evidence: TurnEvidence;
      instead: Instead | null;
    },
  ): Promise<Stop | null> {
    const { context } = this;
    const { at, working, position, evidence, instead } = turn;
    if (verdict.kind !== 'try_again') this.#tries = 0;
    // An agent that could not write is not to blame: the step is left as it is.
    const refused = ['moved', 'requested'].includes(verdict.kind) ? null : this.#logRefused();
    if (refused !== null) return refused;
    switch (verdict.kind) {
      case 'moved':
        return null;
      case 'requested':
        // The next look at the run finds the request.
        return this.#stuckAt(at);
      case 'reported': {
        const stop = this.#stuckAt(at);
        if (stop !== null) return stop;
        const output = verdict.output ?? undefined;
        return this.#move(at, { output, artefacts: [], force: false });
      }
      case 'gave_up':
        failRun(context.open(working.session), context.runId, verdict.reason);
        return this.#stuckAt(at);
      case 'unfinished':
        failRun(context.open(working.session), context.runId, NOT_FINISHED);
        return this.#stuckAt(at);
      case 'ask_again':
        this.#instead = { position, prompt: askAgainPrompt(context.runId), isAskedAgain: true };
        return this.#stuckAt(at);
      case 'try_again': {
        this.#instead = instead;
        if (isConversationLost(working, evidence)) return this.#forgetConversation(working);
        return this.#tryAgain(verdict);
      }
      case 'stop':
        return this.#stopFor(verdict.stop, instead);
      default:
        return unreachable(verdict);
    }
  }

  /** Runs the commands of the step and moves the run, or sends their failure back to the agent. */
  async #move(
    at: StepAt,
    request: Parameters<typeof performMove>[1]['request'],
  ): Promise<Stop | null> {
    const { context } = this;
    const session = this.#working?.session ?? at.holder;
    const { run, templateRun, step, entry } = at;
    const result = await performMove(context, { run, templateRun, step, entry, session, request });
    switch (result.kind) {
      case 'moved':
      case 'failed':
        return null;
      case 'back_to_agent': {
        const position = this.#moment().position;
        if (position !== null)
          this.#instead = { position, prompt: result.prompt, isAskedAgain: false };
        return null;
      }
      case 'interrupted':
        return { reason: 'interrupted' };
      case 'refused':
        return { reason: 'refused', message: result.message, hint: result.hint };
      default:
        return unreachable(result);
    }
  }

  /** `/compact` counts only if the client proves it; where it does not, a fresh conversation takes its place. */
  async #compact(working: WorkingClient, position: string): Promise<Stop | null> {
    const { context } = this;
    const evidence = await this.#turn(working, '/compact');
    if (evidence.compaction !== null) {
      recordCompaction(context.open(working.session), context.runId);
      const { tokensBefore } = evidence.compaction;
      context.emit({ event: 'compacted', session: working.session, tokens_before: tokensBefore });
      this.#tries = 0;
      return null;
    }
    const after = { position, isMoveRequested: false };
    const verdict = judgeTurn({ before: position, after, evidence, wasAskedAgain: false });
    if (verdict.kind === 'try_again' && !isConversationLost(working, evidence))
      return this.#tryAgain(verdict);
    if (verdict.kind === 'stop' && verdict.stop.reason !== 'permission')
      return this.#stopFor(verdict.stop, null);
    const reason = evidence.compactionFailure ?? evidence.result?.text ?? 'no compaction happened';
    context.emit({ event: 'compaction_failed', reason });
    return this.#forgetConversation(working);
  }

  async #forgetConversation({ session }: WorkingClient): Promise<null> {
    const { main, own } = this.context.record.memory.sessions;
    await this.#endClient();
    this.context.record.update({
      sessions: {
        main: main === session ? null : main,
        own: own?.session === session ? null : own,
      },
    });
    return null;
  }

  async #turn(working: WorkingClient, prompt: string | null): Promise<TurnEvidence> {
    const { options, signal, timing } = this.context;
    this.#turnTokens = 0;
    const { stepTimeMs, timeMs } = options.limits;
    const evidence = await runTurn({
      client: working.client,
      prompt,
      stepTimeLeft: stepTimeMs === null ? null : stepTimeMs - this.#tally.elapsed(Date.now()),
      runTimeLeft: timeMs === null ? null : timeMs - this.#elapsed(),
      silenceMs: timing.silenceMs,
      isLogWritable: () => this.context.log.problem() === null,
      signal,
      onMessage: (message) => this.#show(message),
    });
    const cost = turnCost(evidence.result, working.costBefore);
    working.costBefore = evidence.result?.totalCost ?? working.costBefore;
    const tokens = totalTokens(evidence.usage);
    this.#window = evidence.contextWindow ?? this.#window;
    // A client that never answered has cost nothing.
    const isFree = evidence.result === null && evidence.contextTokens === null;
    this.#spent = withTurn(this.#spent, { costUsd: isFree ? 0 : cost, tokens });
    this.#tally.add({
      costUsd: isFree ? 0 : cost,
      tokens,
      turns: evidence.result?.turns ?? 1,
    });
    if (evidence.end.kind !== 'result') await this.#endClient();
    return evidence;
  }

  #fill(tokens: number): number | null {
    if (this.#window === null) return null;
    return fillPercent(tokens, compactionWindow(this.#window, this.context.setup.environment));
  }

  #show(message: StreamMessage): void {
    const { emit } = this.context;
    if (message.kind === 'tool') emit(describeActivity(message, this.context.root));
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

  #reportTurn({ step }: StepAt, { kind }: Verdict, evidence: TurnEvidence): void {
    const tokens = evidence.contextTokens;
    this.context.emit({
      event: 'turn',
      step,
      result: kind,
      usage: this.#tally.usage(Date.now()),
      context_percent: tokens === null ? null : this.#fill(tokens),
    });
  }

  async #tryAgain({
    why,
    words,
    status,
  }: Extract<Verdict, { kind: 'try_again' }>): Promise<Stop | null> {
    const { timing, emit, signal } = this.context;
    const wait = waitBefore(why, this.#tries, timing.firstWaitMs);
    if (wait === null)
      return why === 'crash' || why === 'silence'
        ? { reason: 'client', words }
        : { reason: 'api', status, words, tries: this.#tries + 1 };
    this.#tries += 1;
    emit({
      event: 'retry',
      why,
      message: words,
      wait_seconds: Math.round(wait / 1000),
      attempt: this.#tries,
    });
    await sleepUntilAborted(this.#withinRunTime(wait), signal);
    return null;
  }

  async #stopFor(stop: TurnStop, instead: Instead | null): Promise<Stop | null> {
    const { options, emit, signal, timing } = this.context;
    const { costUsd, timeMs, stepTimeMs } = options.limits;
    switch (stop.reason) {
      case 'budget':
        return { reason: 'budget', costUsd: costUsd ?? this.#spent.costUsd };
      case 'time':
        return { reason: 'time', limitMs: timeMs ?? this.#elapsed() };
      case 'step_time':
        return { reason: 'step_time', limitMs: stepTimeMs ?? this.#elapsed() };
      case 'usage_limit': {
        if (!options.waitsForReset) return stop;
        const wait = waitForReset(stop.resetsAt, Date.now(), timing.firstWaitMs);
        const resets_at = stop.resetsAt === null ? null : new Date(stop.resetsAt).toISOString();
        emit({ event: 'waiting_for_reset', resets_at, wait_seconds: Math.round(wait / 1000) });
        this.#instead = instead;
        await sleepUntilAborted(this.#withinRunTime(wait), signal);
        return null;
      }
      case 'log':
        return this.#logRefused();
      default:
        return stop;
    }
  }

  #overLimit(): Stop | null {
    const { limits } = this.context.options;
    const over = usedUp(limits, this.#spent, this.#elapsed());
    if (over === 'budget') return { reason: 'budget', costUsd: limits.costUsd ?? 0 };
    if (over === 'time') return { reason: 'time', limitMs: limits.timeMs ?? 0 };
    return null;
  }

  #stuckAt({ entry }: StepAt): Stop | null {
    const { context } = this;
    const revision = currentRun(context.open(null), context.runId)?.state.revision;
    this.#marks.push(`${entry} ${treeMark(context.root) ?? `revision ${revision}`}`);
    return isStuck(this.#marks) ? { reason: 'no_progress' } : null;
  }

  #moment(): RunMoment {
    const { context } = this;
    const run = currentRun(context.open(null), context.runId);
    const at = run === null ? null : stepAt(run);
    if (run === null || at === null) return { position: null, isMoveRequested: false };
    const { position } = nextDrivenStep(run, null);
    return {
      position: at.isOver ? null : position,
      isMoveRequested: requestedAdvance(run) !== null,
    };
  }

  #stepEnded(summary: ReturnType<StepTally['enter']> & object): void {
    const { context } = this;
    context.emit({ event: 'step_ended', summary });
    const { step, outcome, turns, tokens, cost_usd, seconds } = summary;
    recordDrivenEvent(context.open(this.#working?.session ?? null), context.runId, {
      event: 'step_driven',
      step,
      outcome,
      turns,
      tokens,
      cost_usd,
      seconds,
    });
  }

  /** A client of a driver that is gone may still be at work: it completes its turn before another one starts. */
  async #waitForOrphan(): Promise<Stop | null> {
    const { context } = this;
    const { record, emit, log } = context;
    const { client } = record.memory;
    if (record.formerPid !== null) emit({ event: 'took_over', pid: record.formerPid });
    if (client === null || !isRunningClient(client)) return null;
    const { pid, session, agent, stream } = client;
    emit({ event: 'waiting_for_client', pid, session });
    const adopted = adoptClient({ pid, stream: log.path(stream) }, () => isRunningClient(client));
    const working: WorkingClient = {
      client: adopted,
      session,
      agent,
      isResumed: true,
      wantsReport: false,
      costBefore: 0,
      hasExited: false,
    };
    this.#working = working;
    const run = currentRun(context.open(null), context.runId);
    const at = run === null ? null : stepAt(run);
    this.#tally.enter(at, Date.now());
    let total = 0;
    const unlisten = adopted.listen((message) => {
      if (message.kind !== 'result') return;
      working.costBefore = total;
      total = message.result.totalCost ?? total;
    });
    await this.#turn(working, null);
    unlisten();
    await this.#endClient();
    emit({ event: 'client_ended', pid });
    if (context.signal.aborted) return { reason: 'interrupted' };
    return this.#overLimit();
  }

  async #endClient(): Promise<void> {
    const working = this.#working;
    this.#working = null;
    if (working !== null) await working.client.end(working.hasExited ? 0 : END_GRACE_MS);
  }

  #elapsed(): number {
    return Date.now() - this.#started;
  }

  #withinRunTime(wait: number): number {
    const { timeMs } = this.context.options.limits;
    return timeMs === null ? wait : Math.max(0, Math.min(wait, timeMs - this.#elapsed()));
  }

  /** Ends the client and lets go of the run, whatever has happened. */
  async end(): Promise<void> {
    const { context } = this;
    const session = this.#working?.session ?? context.record.memory.client?.session ?? null;
    await this.#endClient();
    const run = currentRun(context.open(null), context.runId);
    const at = run === null ? null : stepAt(run);
    this.#tally.close(at, Date.now());
    try {
      if (session !== null && at !== null && !at.isOver)
        releaseFromDriver(context.open(null), context.runId, session);
      context.record.release({ isOver: at === null || at.isOver });
    } catch (error) {
      // The next driver takes over from a process that has ended; a full disk is the reason of the stop already.
      if (!isRefusedWrite(error) || context.log.problem() === null) throw error;
    }
  }
}

const NOT_FINISHED = 'the agent ended its turn twice without finishing the step';

/** The client says it in a result, and again in words when it exits: which comes first depends on how busy the machine is. */
function isConversationLost({ isResumed }: WorkingClient, { end, result }: TurnEvidence): boolean {
  const words = [end.kind === 'exited' ? end.words : '', result?.isError ? result.text : ''];
  return isResumed && words.some((text) => /no conversation found/i.test(text));
}

function isRefusedWrite(error: unknown): boolean {
  const code = error instanceof HoldfastError ? error.code : errorCode(error);
  return code !== undefined && ['not_writable', 'disk_refused', 'ENOSPC', 'EDQUOT'].includes(code);
}
