import { HoldfastError } from '../text/holdfast-error.ts';
import { errorCode } from '../files/read-file.ts';
import { transact } from '../runs/change-run.ts';
import { failRun } from '../runs/fail-run.ts';
import { nextAction, type NextAction } from '../templates/next.ts';
import type { PhaseState } from '../state/progress.ts';
import { holderOf } from '../sessions/holder.ts';
import type { RequestedAdvance } from '../runs/requested-advance.ts';
import { unreachable } from '../text/unreachable.ts';
import { stopOrphan, type Client } from './client.ts';
import { runTurn } from './run-turn.ts';
import type { DriveContext } from './setup.ts';
import type { StepSummary, Usage } from './event-types.generated.ts';
import { RunAccount } from './limits.ts';
import {
  performMove,
  recordCompaction,
  recordDrivenEvent,
  releaseFromDriver,
} from './move.ts';
import { watchProgress, type ProgressWatch } from './progress.ts';
import { prepareClient, type PreparedClient } from './session.ts';
import { runNow, stopAt, type RunNow, type StepAt } from './run-now.ts';
import { INTERRUPTED, limitStop, type Stop } from './stop.ts';
import type { TurnEnd, TurnEvidence, Verdict } from './turn.ts';
import { judgeTurn } from './verdict.ts';

export interface DriveResult {
  /** Why the driver has stopped. */
  stop: Stop;
  /** In all, and of each step. */
  usage: Usage;
  steps: StepSummary[];
  /** How each step of the template stands now. */
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

/** What the agent is told at a position in place of the prompt of the next action. */
interface Reply {
  position: string | null;
  prompt: string;
  /** The agent ended its turn without finishing the step, and is asked once more. */
  asksAgain: boolean;
}

class Driver {
  #client: Client | null = null;
  /** The one that the run was given to; null before the first. */
  #session: string | null = null;
  #reply: Reply | null = null;
  readonly #account: RunAccount;
  readonly #isStuck: ProgressWatch;

  constructor(private readonly context: DriveContext) {
    this.#account = new RunAccount(context);
    this.#isStuck = watchProgress(context.root);
  }

  async run(): Promise<Stop> {
    await this.#takeOver();
    for (;;) {
      if (this.context.signal.aborted) return INTERRUPTED;
      try {
        const stop = this.#logRefused() ?? (await this.#takeNextAction());
        if (stop !== null) return stop;
      } catch (error) {
        const stop = this.#stopAfter(error);
        if (stop === null) throw error;
        return stop;
      }
    }
  }

  result(): Omit<DriveResult, 'stop'> {
    const { at } = this.#runNow();
    this.#account.leave(at);
    return {
      usage: this.#account.usage(),
      steps: this.#account.summaries,
      states: at?.states ?? [],
    };
  }

  /** Ends the client and lets go of the run, whatever has happened. */
  async end(): Promise<void> {
    const { open, runId, record, log } = this.context;
    const session =
      this.#client?.launch.session ?? record.memory.client?.session ?? null;
    await this.#endClient();

    const { at } = this.#runNow();
    try {
      if (session !== null && at !== null)
        releaseFromDriver(open(null), runId, session);
      // One that has failed or was ended early can be brought back, and then goes on in the same conversation.
      const isOver = at === null || at.machine.status === 'complete';
      record.release({ isOver });
    } catch (error) {
      // The next driver takes over from a process that has ended; a full disk is the reason of the stop already.
      if (!isRefusedWrite(error) || log.problem === null) throw error;
    }
  }

  #runNow(): RunNow {
    return runNow(this.context, this.#session);
  }

  /** A driver that died may have left its client behind, which would work on the same step. */
  async #takeOver(): Promise<void> {
    const { record, emit } = this.context;
    if (record.deadDriver !== null)
      emit({ event: 'took_over', pid: record.deadDriver });

    const { client } = record.memory;
    if (client === null) return;
    const wasRunning = await stopOrphan(client);
    if (!wasRunning) return;
    emit({
      event: 'client_stopped',
      pid: client.pid,
      session: client.session,
    });
  }

  /** Commands of the driver are refused if the run was ended or deleted a moment ago, and on a full disk. */
  #stopAfter(error: unknown): Stop | null {
    if (error instanceof HoldfastError) {
      const { loss } = this.#runNow();
      if (loss !== null) return loss;
    }
    return isRefusedWrite(error) ? this.#logRefused() : null;
  }

  #logRefused(): Stop | null {
    const { folder, problem } = this.context.log;
    if (problem === null) return null;
    return {
      reason: 'log',
      message: `the log in ${folder} cannot be written (${problem})`,
      advice: 'free some space or correct its permissions',
    };
  }

  /** One move, compaction or turn; null if the run goes on. */
  async #takeNextAction(): Promise<Stop | null> {
    const { run, at, loss } = this.#runNow();
    const endedStep = this.#account.enter(at);
    // A step at which the run was lost is not finished; the final summary names it.
    if (endedStep !== null && endedStep.outcome !== 'stopped')
      this.#recordStepEnd(endedStep);

    if (loss !== null) return loss;
    if (run === null || at === null)
      return {
        reason: 'blocked',
        message: 'the template of the run can no longer be read',
      };

    const { next } = nextAction(run, 'auto', null);
    const isStepFinished =
      endedStep !== null && endedStep.step !== at.machine.step;
    if (this.context.options.step && isStepFinished && next.stop !== 'done')
      return { reason: 'step', message: 'the step is finished' };
    if (next.stop !== null) return stopAt(next.stop, at);
    if (next.prompt === null) return stopAt('waiting', at);
    if (at.request !== null) return this.#move(at, at.request);

    const limit = this.#account.usedUp();
    if (limit !== null) return limitStop(limit, this.context.options);

    this.#announceStep(at);
    return this.#workOn(at, next.perform, next.prompt);
  }

  #announceStep(at: StepAt): void {
    if (!this.#account.isNew(at)) return;
    const { text, currentStep, totalSteps } = at.status.progress;
    this.context.emit({
      event: 'step',
      step: at.machine.step,
      label: text,
      number: currentStep,
      total: totalSteps,
      attempt: at.attempt,
      states: at.states,
    });
  }

  /** The next turn of the agent at the step, or the compaction before it. */
  async #workOn(
    at: StepAt,
    perform: NextAction['perform'],
    promptOfAction: string,
  ): Promise<Stop | null> {
    if (this.#reply?.position !== at.position) this.#reply = null;

    const prepared = await this.#prepare(at, perform);
    if (prepared === null) return null;
    const { client, compactFirst } = prepared;
    if (compactFirst) return this.#compact(client, at);

    const prompt = this.#reply?.prompt ?? promptOfAction;
    const evidence = await this.#takeTurn(client, prompt);
    const verdict = this.#judge(at, evidence);
    this.context.emit({
      event: 'turn',
      step: at.machine.step,
      result: verdict.kind,
      usage: this.#account.stepUsage(),
      context_percent: this.#account.fill(evidence.usage?.usage),
    });
    return this.#follow(verdict, evidence, client, at);
  }

  /**
   * The client for the next turn; null if the run has moved meanwhile. A command of a client that was killed may outlive
   * it, and a prompt for the step that it has finished would finish the next one unseen.
   */
  async #prepare(
    at: StepAt,
    perform: NextAction['perform'],
  ): Promise<PreparedClient | null> {
    const { context } = this;
    try {
      const prepared = await prepareClient(context, this.#client, {
        at,
        perform,
        wantsReport: this.#reply?.asksAgain ?? false,
        budgetLeft: this.#account.budgetLeft(),
        heldBy: this.#session,
      });
      this.#client = prepared.client;
      this.#session = prepared.client.launch.session;

      // Commands look under the lock whether their client is still the current one. After this empty transaction, none
      // of a client that was replaced can move the run any more.
      transact(context.open(null), () => undefined);
      const now = this.#runNow().at;
      const hasMoved =
        now === null || now.position !== at.position || now.request !== null;
      return hasMoved ? null : prepared;
    } catch (error) {
      // A run that is over or has failed cannot be held any more.
      const isOver =
        error instanceof HoldfastError &&
        ['run_archived', 'not_active'].includes(error.code);
      if (isOver && this.#runNow().at?.position !== at.position) return null;
      throw error;
    }
  }

  async #takeTurn(client: Client, prompt: string): Promise<TurnEvidence> {
    const evidence = await runTurn(
      client,
      prompt,
      this.context,
      () => this.#reasonToEndTurn(),
      (message) => this.#account.show(message),
    );
    this.#account.addTurn(client, evidence);
    if (evidence.end.kind !== 'result') await this.#endClient();
    return evidence;
  }

  #reasonToEndTurn(): TurnEnd | null {
    const limit = this.#account.usedUp();
    if (limit !== null) return { kind: 'used_up', limit };
    const isOfNoUse =
      this.context.log.problem !== null || this.#runNow().loss !== null;
    return isOfNoUse ? { kind: 'of_no_use' } : null;
  }

  #judge(before: StepAt, evidence: TurnEvidence): Verdict {
    const { options, next } = this.context;
    const { at, loss } = this.#runNow();
    return judgeTurn({
      before: before.position,
      after: at?.position ?? null,
      isMoveRequested: at !== null && at.request !== null,
      loss,
      evidence,
      wasAskedAgain: this.#reply?.asksAgain ?? false,
      options,
      next,
    });
  }

  async #follow(
    verdict: Verdict,
    evidence: TurnEvidence,
    client: Client,
    at: StepAt,
  ): Promise<Stop | null> {
    if (verdict.kind !== 'try_again') this.#account.worked();

    // An agent that could not write is not to blame: the step is left as it is.
    const hasMoved = verdict.kind === 'moved' || verdict.kind === 'requested';
    const logStop = hasMoved ? null : this.#logRefused();
    if (logStop !== null) return logStop;
    if (verdict.kind === 'try_again' || verdict.kind === 'stop')
      return this.#recover(verdict, evidence, client);

    this.#reply = null;
    const { open, runId } = this.context;
    switch (verdict.kind) {
      case 'moved':
        // An agent that reports a failure which is tried again has moved the run, but not forward.
        break;
      case 'requested':
        // The next look at the run finds the request.
        return null;
      case 'reported': {
        const output = verdict.output ?? undefined;
        return this.#move(at, { output, artefacts: [], force: false });
      }
      case 'gave_up':
      case 'unfinished':
        failRun(open(client.launch.session), runId, verdict.reason);
        break;
      case 'ask_again':
        this.#reply = {
          position: at.position,
          prompt: askAgainPrompt(runId),
          asksAgain: true,
        };
        break;
      default:
        return unreachable(verdict);
    }
    return this.#stuckAt(at);
  }

  /** After a turn that did not complete: waits, or begins another conversation; null if the turn is to be repeated. */
  async #recover(
    verdict: Extract<Verdict, { kind: 'try_again' | 'stop' }>,
    evidence: TurnEvidence,
    client: Client,
  ): Promise<Stop | null> {
    if (verdict.kind === 'stop') {
      const { stop, resetsAt } = verdict;
      const isUsageLimit = resetsAt !== undefined;
      if (!isUsageLimit || !this.context.options.waitLimits) return stop;
      await this.#account.waitForReset(resetsAt);
      return null;
    }
    if (client.launch.isResumed && saysNoConversation(evidence))
      return this.#forgetConversation(client);
    return this.#account.waitAfter(verdict);
  }

  /** Runs the commands of the step and moves the run, or sends their failure back to the agent. */
  async #move(at: StepAt, request: RequestedAdvance): Promise<Stop | null> {
    const session = this.#client?.launch.session ?? holderOf(at.state);
    const result = await performMove(this.context, at, session, request);
    if (result === null) return null;

    const now = this.#runNow();
    if ('stop' in result) {
      // The reason why the run is lost says more than the refusal that follows from it.
      const loss = result.stop === INTERRUPTED ? null : now.loss;
      return loss ?? result.stop;
    }
    this.#reply = {
      position: now.at?.position ?? null,
      prompt: result.prompt,
      asksAgain: false,
    };
    return this.#stuckAt(at);
  }

  /** `/compact` counts only if the client proves it; where it does not, a fresh conversation takes its place. */
  async #compact(client: Client, at: StepAt): Promise<Stop | null> {
    const { open, runId, emit } = this.context;
    const { session } = client.launch;
    const evidence = await this.#takeTurn(client, '/compact');
    if (evidence.compacted !== undefined) {
      recordCompaction(open(session), runId);
      const { tokensBefore } = evidence.compacted;
      emit({ event: 'compacted', session, tokens_before: tokensBefore });
      this.#account.worked();
      return null;
    }

    const verdict = this.#judge(at, evidence);
    const isDenied =
      verdict.kind === 'stop' && verdict.stop.reason === 'permission';
    if (verdict.kind === 'try_again' || (verdict.kind === 'stop' && !isDenied))
      return this.#recover(verdict, evidence, client);

    const { compaction_failed: failure, result } = evidence;
    const reason = failure?.why ?? result?.text ?? 'no compaction happened';
    emit({ event: 'compaction_failed', reason });
    return this.#forgetConversation(client);
  }

  /** The next turn begins another conversation. */
  async #forgetConversation(client: Client): Promise<null> {
    const { record } = this.context;
    const { main, own } = record.memory.sessions;
    const { session } = client.launch;
    await this.#endClient();
    record.update({
      sessions: {
        main: main === session ? null : main,
        own: own?.session === session ? null : own,
      },
    });
    return null;
  }

  #stuckAt(at: StepAt): Stop | null {
    if (!this.#isStuck(at, this.#runNow().at)) return null;
    return {
      reason: 'no_progress',
      message:
        'three turns in a row have changed neither the run nor a file that git would list',
      advice: 'look at the log, change the step or its gate',
    };
  }

  #recordStepEnd(summary: StepSummary): void {
    const { open, runId, emit } = this.context;
    emit({ event: 'step_ended', summary });
    const context = open(this.#client?.launch.session ?? null);
    // The journal names the step by its id alone.
    const { label: _label, ...fields } = summary;
    recordDrivenEvent(context, runId, { event: 'step_driven', ...fields });
  }

  async #endClient(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }
}

/**
 * The client says it in a result, and again on standard error when it exits: which of the two is read first depends on
 * how busy the machine is.
 */
function saysNoConversation({ end, result }: TurnEvidence): boolean {
  const lastWords = end.kind === 'exited' ? end.words : '';
  const failure = result?.isError === true ? result.text : '';
  return [lastWords, failure].some((text) =>
    /no conversation found/i.test(text),
  );
}

function askAgainPrompt(runId: string): string {
  return [
    `Your turn has ended, but the step of the holdfast run ${runId} is not finished: the run has not moved.`,
    'If the work of this step is done, run `holdfast advance`. If it cannot be done, run `holdfast fail --reason "…"`. Otherwise finish it now.',
    'If you cannot run these commands, report with the structured result instead: `done: true` with an `output`, or `done: false` with a `reason`.',
  ].join('\n');
}

const REFUSED_WRITES: ReadonlySet<string> = new Set([
  'not_writable',
  'disk_refused',
  'ENOSPC',
  'EDQUOT',
]);

function isRefusedWrite(error: unknown): boolean {
  const code = error instanceof HoldfastError ? error.code : errorCode(error);
  return code !== undefined && REFUSED_WRITES.has(code);
}
