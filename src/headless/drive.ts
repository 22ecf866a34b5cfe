import { HoldfastError } from '../text/holdfast-error.ts';
import { errorCode } from '../files/read-file.ts';
import { transact } from '../runs/change-run.ts';
import { failRun } from '../runs/move-run.ts';
import { nextAction, type NextAction } from '../templates/next.ts';
import { holderOf } from '../sessions/holder.ts';
import type { RequestedAdvance } from '../runs/advance.ts';
import { unreachable } from '../text/unreachable.ts';
import { runTurn, stopOrphan, type Client } from './client.ts';
import type { DriveContext } from './setup.ts';
import type { StepSummary } from './event-types.generated.ts';
import { RunAccount } from './limits.ts';
import {
  performMove,
  recordCompaction,
  recordDrivenEvent,
  releaseFromDriver,
} from './move.ts';
import { watchProgress } from './progress.ts';
import { prepareClient } from './session.ts';
import {
  INTERRUPTED,
  limitStop,
  runNow,
  stopAt,
  type StepAt,
  type Stop,
} from './step.ts';
import type { TurnEnd, TurnEvidence, Verdict } from './turn.ts';
import { judgeTurn } from './verdict.ts';

/** Drives a run until something stops it. What comes next is decided by `nextAction` alone. */
export async function drive(context: DriveContext) {
  const driver = new Driver(context);
  try {
    return { stop: await driver.run(), ...driver.result() };
  } finally {
    await driver.end();
  }
}

/** What the agent is told next at a position, if it is not the prompt of the next action. */
type OtherPrompt = {
  position: string | null;
  prompt: string;
  isAskedAgain: boolean;
};

class Driver {
  #client: Client | null = null;
  /** That the run was given to; null before the first one. */
  #session: string | null = null;
  #other: OtherPrompt | null = null;
  readonly #account: RunAccount;
  readonly #isStuck: ReturnType<typeof watchProgress>;

  constructor(private readonly context: DriveContext) {
    this.#account = new RunAccount(context);
    this.#isStuck = watchProgress(context.root);
  }

  #look() {
    return runNow(this.context, this.#session);
  }

  result() {
    const { at } = this.#look();
    this.#account.leave(at);
    const { summaries: steps } = this.#account;
    return { usage: this.#account.usage(), steps, states: at?.states ?? [] };
  }

  async run(): Promise<Stop> {
    const { record, emit, signal } = this.context;
    const { client } = record.memory;
    if (record.deadDriver !== null)
      emit({ event: 'took_over', pid: record.deadDriver });
    if (client !== null && (await stopOrphan(client)))
      emit({
        event: 'client_stopped',
        pid: client.pid,
        session: client.session,
      });
    for (;;) {
      if (signal.aborted) return INTERRUPTED;
      try {
        const stop = this.#logRefused() ?? (await this.#goOn());
        if (stop !== null) return stop;
      } catch (error) {
        // A command of the driver is refused if the run was ended or deleted a moment ago, and on a disk that is full.
        const loss = error instanceof HoldfastError ? this.#look().loss : null;
        const stop =
          loss ?? (isRefusedWrite(error) ? this.#logRefused() : null);
        if (stop === null) throw error;
        return stop;
      }
    }
  }

  #logRefused(): Stop | null {
    const { folder, problem } = this.context.log;
    if (problem === null) return null;
    const message = `the log in ${folder} cannot be written (${problem})`;
    return {
      reason: 'log',
      message,
      advice: 'free some space or correct its permissions',
    };
  }

  async #goOn(): Promise<Stop | null> {
    const { emit, options } = this.context;
    const { run, at, loss } = this.#look();
    const ended = this.#account.enter(at);
    // A step at which the run was lost is not finished; the summary names it.
    if (ended !== null && ended.outcome !== 'stopped') this.#stepEnded(ended);
    if (loss !== null) return loss;
    if (run === null || at === null)
      return {
        reason: 'blocked',
        message: 'the template of the run can no longer be read',
      };
    const { next } = nextAction(run, 'auto', null);
    const { step } = at.machine;
    if (
      ended !== null &&
      next.stop !== 'done' &&
      ended.step !== step &&
      options.step
    )
      return { reason: 'step', message: 'the step is finished' };
    if (next.stop !== null) return stopAt(next.stop, at);
    if (next.prompt === null) return stopAt('waiting', at);
    if (at.request !== null) return this.#move(at, at.request);
    const limit = this.#account.usedUp();
    if (limit !== null) return limitStop(limit, options);
    if (this.#account.isNew(at)) {
      const { attempt, states } = at;
      const {
        text: label,
        currentStep: number,
        totalSteps: total,
      } = at.status.progress;
      emit({ event: 'step', step, label, number, total, attempt, states });
    }

    if (this.#other?.position !== at.position) this.#other = null;
    const ready = await this.#prepare(at, next.perform);
    if (ready === null) return null;
    const { client, compactFirst } = ready;
    if (compactFirst) return this.#compact(client, at);
    const evidence = await this.#turn(
      client,
      this.#other?.prompt ?? next.prompt,
    );
    const verdict = this.#judge(at, evidence);
    emit({
      event: 'turn',
      step,
      result: verdict.kind,
      usage: this.#account.stepUsage(),
      context_percent: this.#account.fill(evidence.usage?.usage),
    });
    return this.#follow(verdict, evidence, client, at);
  }

  /** Null if the run has moved, which a command of a killed client may do late: the prompt would be for the wrong step. */
  async #prepare(at: StepAt, perform: NextAction['perform']) {
    const { context } = this;
    try {
      const ready = await prepareClient(context, this.#client, {
        at,
        perform,
        wantsReport: this.#other?.isAskedAgain ?? false,
        budgetLeft: this.#account.budgetLeft(),
        heldBy: this.#session,
      });
      this.#client = ready.client;
      this.#session = ready.client.launch.session;
      // Commands look under the lock whether their client is still the current one, so none of a client that was replaced
      // can move the run after this.
      transact(context.open(null), () => undefined);
      const now = this.#look().at;
      return now?.position === at.position && now.request === null
        ? ready
        : null;
    } catch (error) {
      // A run that is over or has failed cannot be held any more.
      const isOver =
        error instanceof HoldfastError &&
        ['run_archived', 'not_active'].includes(error.code);
      if (!isOver || this.#look().at?.position === at.position) throw error;
      return null;
    }
  }

  #judge({ position: before }: StepAt, evidence: TurnEvidence): Verdict {
    const { options, next } = this.context;
    const { at, loss } = this.#look();
    return judgeTurn({
      before,
      after: at?.position ?? null,
      isMoveRequested: at !== null && at.request !== null,
      loss,
      evidence,
      wasAskedAgain: this.#other?.isAskedAgain ?? false,
      options,
      next,
    });
  }

  async #follow(
    verdict: Verdict,
    evidence: TurnEvidence,
    client: Client,
    at: StepAt,
  ) {
    const { open, runId } = this.context;
    if (verdict.kind !== 'try_again') this.#account.worked();
    // An agent that could not write is not to blame: the step is left as it is.
    const refused = ['moved', 'requested'].includes(verdict.kind)
      ? null
      : this.#logRefused();
    if (refused !== null) return refused;
    if (verdict.kind === 'try_again' || verdict.kind === 'stop')
      return this.#recover(verdict, evidence, client);
    this.#other = null;
    switch (verdict.kind) {
      case 'moved':
        // An agent that reports a failure which is tried again has moved the run, but not forward.
        break;
      case 'requested':
        // The next look at the run finds the request.
        return null;
      case 'reported': {
        const request = {
          output: verdict.output ?? undefined,
          artefacts: [],
          force: false,
        };
        return this.#move(at, request);
      }
      case 'gave_up':
      case 'unfinished':
        failRun(open(client.launch.session), runId, verdict.reason);
        break;
      case 'ask_again': {
        const { position } = at;
        this.#other = {
          position,
          prompt: askAgainPrompt(runId),
          isAskedAgain: true,
        };
        break;
      }
      default:
        return unreachable(verdict);
    }
    return this.#stuckAt(at);
  }

  /** After a turn that did not complete: waits, or begins another conversation; null if the turn is to be repeated. */
  async #recover(
    verdict: Extract<Verdict, { kind: 'try_again' | 'stop' }>,
    { end, result }: TurnEvidence,
    client: Client,
  ): Promise<Stop | null> {
    if (verdict.kind === 'stop') {
      const { stop, resetsAt } = verdict;
      if (resetsAt === undefined || !this.context.options.waitLimits)
        return stop;
      await this.#account.waitForReset(resetsAt);
      return null;
    }
    // The client says it in a result, and again in words when it exits: which comes first depends on how busy the machine is.
    const words = [
      end.kind === 'exited' ? end.words : '',
      result?.isError ? result.text : '',
    ];
    if (
      client.launch.isResumed &&
      words.some((text) => /no conversation found/i.test(text))
    )
      return this.#forgetConversation(client);
    return this.#account.waitAfter(verdict);
  }

  /** Runs the commands of the step and moves the run, or sends their failure back to the agent. */
  async #move(at: StepAt, request: RequestedAdvance): Promise<Stop | null> {
    const session = this.#client?.launch.session ?? holderOf(at.state);
    const result = await performMove(this.context, at, session, request);
    if (result === null) return null;
    const now = this.#look();
    if ('stop' in result)
      return (result.stop === INTERRUPTED ? null : now.loss) ?? result.stop;
    const position = now.at?.position ?? null;
    this.#other = { position, prompt: result.prompt, isAskedAgain: false };
    return this.#stuckAt(at);
  }

  /** `/compact` counts only if the client proves it; where it does not, a fresh conversation takes its place. */
  async #compact(client: Client, at: StepAt): Promise<Stop | null> {
    const { open, runId, emit } = this.context;
    const { session } = client.launch;
    const evidence = await this.#turn(client, '/compact');
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

  async #forgetConversation({ launch: { session } }: Client): Promise<null> {
    const { record } = this.context;
    const { main, own } = record.memory.sessions;
    await this.#endClient();
    record.update({
      sessions: {
        main: main === session ? null : main,
        own: own?.session === session ? null : own,
      },
    });
    return null;
  }

  async #turn(client: Client, prompt: string): Promise<TurnEvidence> {
    const { log } = this.context;
    const reasonToEnd = (): TurnEnd | null => {
      const limit = this.#account.usedUp();
      if (limit !== null) return { kind: 'used_up', limit };
      return log.problem !== null || this.#look().loss !== null
        ? { kind: 'of_no_use' }
        : null;
    };
    const evidence = await runTurn(
      client,
      prompt,
      this.context,
      reasonToEnd,
      (message) => this.#account.show(message),
    );
    this.#account.addTurn(client, evidence);
    if (evidence.end.kind !== 'result') await this.#endClient();
    return evidence;
  }

  #stuckAt(at: StepAt): Stop | null {
    if (!this.#isStuck(at, this.#look().at)) return null;
    return {
      reason: 'no_progress',
      message:
        'three turns in a row have changed neither the run nor a file that git would list',
      advice: 'look at the log, change the step or its gate',
    };
  }

  #stepEnded(summary: StepSummary): void {
    const { open, runId, emit } = this.context;
    const { label: _label, ...fields } = summary;
    emit({ event: 'step_ended', summary });
    const context = open(this.#client?.launch.session ?? null);
    recordDrivenEvent(context, runId, { event: 'step_driven', ...fields });
  }

  async #endClient(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end();
  }

  /** Ends the client and lets go of the run, whatever has happened. */
  async end(): Promise<void> {
    const { open, runId, record, log } = this.context;
    const session =
      this.#client?.launch.session ?? record.memory.client?.session ?? null;
    await this.#endClient();
    const { at } = this.#look();
    try {
      if (session !== null && at !== null)
        releaseFromDriver(open(null), runId, session);
      // One that has failed or was ended early can be brought back, and then goes on in the same conversation.
      record.release({
        isOver: at === null || at.machine.status === 'complete',
      });
    } catch (error) {
      // The next driver takes over from a process that has ended; a full disk is the reason of the stop already.
      if (!isRefusedWrite(error) || log.problem === null) throw error;
    }
  }
}

function askAgainPrompt(runId: string): string {
  return [
    `Your turn has ended, but the step of the holdfast run ${runId} is not finished: the run has not moved.`,
    'If the work of this step is done, run `holdfast advance`. If it cannot be done, run `holdfast fail --reason "…"`. Otherwise finish it now.',
    'If you cannot run these commands, report with the structured result instead: `done: true` with an `output`, or `done: false` with a `reason`.',
  ].join('\n');
}

function isRefusedWrite(error: unknown): boolean {
  const code = error instanceof HoldfastError ? error.code : errorCode(error);
  return (
    code !== undefined &&
    ['not_writable', 'disk_refused', 'ENOSPC', 'EDQUOT'].includes(code)
  );
}
