import { describe } from '../errors/describe.ts';
import { HoldfastError } from '../errors/holdfast-error.ts';
import { errorCode } from '../io/read-file.ts';
import {
  recordCompaction,
  recordDrivenEvent,
  releaseFromDriver,
  waitForCommands,
} from '../operations/drive.ts';
import { failRun } from '../operations/fail.ts';
import { nextDrivenStep } from '../operations/next-action.ts';
import { requestedAdvance } from '../operations/requested-advance.ts';
import { unreachable } from '../util/unreachable.ts';
import type { PhaseState } from '../workflow/run-view.ts';
import {
  END_GRACE_MS,
  prepareClient,
  type ReadyClient,
  type SessionWanted,
  type WorkingClient,
} from './client/client-session.ts';
import type { DriveContext } from './drive-context.ts';
import { budgetLeft, type Spending } from './limits/limits.ts';
import { findOrphan } from './client/orphan.ts';
import { ProgressWatch } from './step/progress-watch.ts';
import { askAgainPrompt } from './turn/prompts.ts';
import { performMove } from './step/requested-move.ts';
import { Retries } from './limits/retries.ts';
import { RunAccount } from './limits/run-account.ts';
import { lossNow, momentNow, runNow } from './step/run-moment.ts';
import { RunWatch } from './step/run-watch.ts';
import type { StepAt } from './step/step-at.ts';
import type { StepTally } from './step/step-tally.ts';
import type { Stop } from './stop/stop.ts';
import { stopAt } from './stop/stop-at.ts';
import { runTurn } from './turn/turn.ts';
import type { TurnEvidence } from './turn/turn-evidence.ts';
import { TurnReporter } from './turn/turn-reporter.ts';
import { judgeTurn, type TurnStop, type Verdict } from './turn/verdict.ts';

export interface DriveResult {
  stop: Stop;
  spent: Spending;
  elapsedMs: number;
  tally: StepTally;
  /** Of all steps, in their order; empty if the run is gone. */
  states: PhaseState[];
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
  #instead: Instead | null = null;
  readonly #account: RunAccount;
  readonly #retries: Retries;
  readonly #reporter: TurnReporter;
  readonly #progress: ProgressWatch;
  readonly #watch: RunWatch;

  constructor(private readonly context: DriveContext) {
    this.#account = new RunAccount(context.options.limits);
    this.#retries = new Retries(context, this.#account);
    this.#reporter = new TurnReporter(context);
    this.#progress = new ProgressWatch(context);
    this.#watch = new RunWatch(context.root, (known) => lossNow(context, known));
  }

  result(): Omit<DriveResult, 'stop'> {
    const { spent, tally } = this.#account;
    const states = runNow(this.context).at?.states ?? [];
    return { spent, elapsedMs: this.#account.elapsed(), tally, states };
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
      // A command of the driver is refused if the run was ended or deleted a moment ago.
      const loss = error instanceof HoldfastError ? this.#watch.loss() : null;
      const stop = loss ?? (isRefusedWrite(error) ? this.#logRefused() : null);
      if (stop === null) throw error;
      return stop;
    }
  }

  /** One turn, or one move; null if the run goes on. */
  async #goOn(): Promise<Stop | null> {
    const { context } = this;
    const { options } = context;
    const { run, at } = runNow(context);
    const ended = this.#account.tally.enter(at, Date.now());
    // A step at which the run was lost is not finished; the summary names it.
    if (ended !== null && ended.outcome !== 'stopped') this.#stepEnded(ended);
    const loss = this.#watch.loss();
    if (loss !== null) return loss;
    if (run === null || at === null)
      return { reason: 'refused', ...describe({ code: 'not_drivable', run: context.runId }) };
    this.#watch.see(run);
    const { next, position } = nextDrivenStep(run, null);
    if (ended !== null && options.isStepwise && next.stop !== 'done' && ended.step !== at.step)
      return { reason: 'step' };
    if (next.stop !== null) return stopAt(next.stop, at);
    if (position === null || next.prompt === null) return { reason: 'waiting' };

    const request = requestedAdvance(run);
    if (request !== null) return this.#move(at, request);
    const over = this.#account.overLimit();
    if (over !== null) return over;
    if (this.#account.tally.isNew(at)) {
      const { step, label, number, total, attempt, states } = at;
      context.emit({ event: 'step', step, label, number, total, attempt, states });
    }

    const instead = this.#instead?.position === position ? this.#instead : null;
    this.#instead = null;
    const ready = await this.#prepare(position, {
      perform: next.perform,
      agent: at.agent,
      entry: at.entry,
      step: at.step,
      template: at.templateRun.template,
      wantsReport: instead?.isAskedAgain ?? false,
      budgetLeft: budgetLeft(options.limits, this.#account.spent),
      heldBy: this.#watch.session,
    });
    if (ready === null) return null;
    const { working, compactFirst } = ready;
    if (compactFirst) return this.#compact(working, position);
    const evidence = await this.#turn(working, instead?.prompt ?? next.prompt);
    const verdict = judgeTurn({
      before: position,
      after: momentNow(context),
      loss: this.#watch.loss(),
      evidence,
      wasAskedAgain: instead?.isAskedAgain ?? false,
    });
    this.#reporter.report(at.step, verdict, evidence, this.#account.tally.usage(Date.now()));
    return this.#follow(verdict, { at, working, position, evidence, instead });
  }

  /**
   * The client for the next turn; null if the run has moved meanwhile. A command of a client that was killed may outlive
   * it, and a prompt for the step that it has finished would finish the next one unseen.
   */
  async #prepare(position: string, wanted: SessionWanted): Promise<ReadyClient | null> {
    const { context } = this;
    try {
      const ready = await prepareClient(context, this.#working, wanted);
      this.#working = ready.working;
      this.#watch.session = ready.working.session;
      waitForCommands(context.open(null));
      const moment = momentNow(context);
      return moment.position === position && !moment.isMoveRequested ? ready : null;
    } catch (error) {
      // A run that is over or has failed cannot be held any more.
      const isOver = error instanceof HoldfastError && OVER.has(error.code);
      if (!isOver || momentNow(context).position === position) throw error;
      return null;
    }
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
    if (verdict.kind !== 'try_again') this.#retries.reset();
    // An agent that could not write is not to blame: the step is left as it is.
    const refused = ['moved', 'requested'].includes(verdict.kind) ? null : this.#logRefused();
    if (refused !== null) return refused;
    switch (verdict.kind) {
      case 'moved':
        // An agent that reports a failure which is tried again has moved the run, but not forward.
        return this.#stuckAt(at);
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
        return this.#retries.waitAfter(verdict);
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
        const position = momentNow(this.context).position;
        if (position !== null)
          this.#instead = { position, prompt: result.prompt, isAskedAgain: false };
        return null;
      }
      case 'interrupted':
        return { reason: 'interrupted' };
      case 'refused':
        return (
          this.#watch.loss() ?? {
            reason: 'refused',
            message: result.message,
            hint: result.hint,
          }
        );
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
      this.#retries.reset();
      return null;
    }
    const after = { position, isMoveRequested: false };
    const loss = this.#watch.loss();
    const verdict = judgeTurn({ before: position, after, loss, evidence, wasAskedAgain: false });
    if (verdict.kind === 'try_again' && !isConversationLost(working, evidence))
      return this.#retries.waitAfter(verdict);
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
    const { signal, timing, log } = this.context;
    this.#reporter.beginTurn();
    const { step, run } = this.#account.timeLeft();
    const evidence = await runTurn({
      client: working.client,
      prompt,
      stepTimeLeft: step,
      runTimeLeft: run,
      silenceMs: timing.silenceMs,
      isLogWritable: () => log.problem() === null,
      isRunLost: () => this.#watch.isLost(),
      signal,
      onMessage: (message) => this.#reporter.show(message),
    });
    this.#reporter.endTurn(evidence);
    this.#account.addTurn(working, evidence);
    if (evidence.end.kind !== 'result') await this.#endClient();
    return evidence;
  }

  async #stopFor(stop: TurnStop, instead: Instead | null): Promise<Stop | null> {
    const { limits, waitsForReset } = this.context.options;
    switch (stop.reason) {
      case 'budget':
        return { reason: 'budget', costUsd: limits.costUsd ?? this.#account.spent.costUsd };
      case 'time':
        return { reason: 'time', limitMs: limits.timeMs ?? this.#account.elapsed() };
      case 'step_time':
        return { reason: 'step_time', limitMs: limits.stepTimeMs ?? this.#account.elapsed() };
      case 'usage_limit':
        if (!waitsForReset) return stop;
        this.#instead = instead;
        await this.#retries.waitForReset(stop.resetsAt);
        return null;
      case 'log':
        return this.#logRefused();
      case 'permission':
        return { ...stop, allowed: this.context.options.allow };
      default:
        return stop;
    }
  }

  #stuckAt(at: StepAt): Stop | null {
    return this.#progress.isStuckAt(at) ? { reason: 'no_progress' } : null;
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
    const orphan = findOrphan(context);
    if (orphan === null) return null;
    this.#working = orphan.working;
    this.#watch.session = orphan.working.session;
    this.#account.tally.enter(runNow(context).at, Date.now());
    await this.#turn(orphan.working, null);
    await this.#endClient();
    context.emit({ event: 'client_ended', pid: orphan.pid });
    if (context.signal.aborted) return { reason: 'interrupted' };
    return this.#account.overLimit();
  }

  async #endClient(): Promise<void> {
    const working = this.#working;
    this.#working = null;
    if (working !== null) await working.client.end(working.hasExited ? 0 : END_GRACE_MS);
  }

  /** Ends the client and lets go of the run, whatever has happened. */
  async end(): Promise<void> {
    const { context } = this;
    const session = this.#working?.session ?? context.record.memory.client?.session ?? null;
    await this.#endClient();
    const { at } = runNow(context);
    this.#account.tally.close(at, Date.now());
    try {
      if (session !== null && at !== null)
        releaseFromDriver(context.open(null), context.runId, session);
      // One that has failed or was ended early can be brought back, and then goes on in the same conversation.
      const isOver = at === null || at.templateRun.machine.status === 'complete';
      context.record.release({ isOver });
    } catch (error) {
      // The next driver takes over from a process that has ended; a full disk is the reason of the stop already.
      if (!isRefusedWrite(error) || context.log.problem() === null) throw error;
    }
  }
}

const OVER: ReadonlySet<string> = new Set(['run_archived', 'not_active']);

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
