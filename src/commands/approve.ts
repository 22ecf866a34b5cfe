import { requireBounded } from '../runs/advance.ts';
import { withRun } from '../runs/change-run.ts';
import {
  ANSWERS,
  findWaitingRun,
  machineAtWait,
  runAnsweredBefore,
  type Verb,
} from '../runs/find-wait.ts';
import { saveMove, type Moved } from '../runs/move-run.ts';
import { passGates } from '../runs/pass-gates.ts';
import { requireActive, requireRun } from '../runs/which-run.ts';
import { holderOf } from '../sessions/holder.ts';
import type { OperationContext, Project } from '../sessions/open-project.ts';
import type { NewEvent } from '../state/journal.ts';
import { WakeMarks } from '../state/store/state-folder.ts';
import type { Transaction } from '../state/store/store.ts';
import type { RunState, Run } from '../state/types.ts';
import type { WorkflowStateMachine } from '../machine/machine.ts';
import { waysToAnswer } from '../machine/pivot.ts';
import { feedbackTag, withFeedback } from '../state/feedback.ts';
import { pivotRefusal } from '../state/progress.ts';
import {
  machineOf,
  machineWithGates,
  withMachine,
} from '../state/template-run.ts';
import { placeOfWait, waitLines } from '../templates/waits.ts';
import { attempt, HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { mayAnswerFor } from '../sessions/rights.ts';
import { command, requirePerson, type Shown } from './command.ts';
import type {
  CommandDocuments,
  PivotDocument,
  RepeatedAnswerDocument,
} from './json/documents.ts';
import { canAsk, confirm } from './confirm.ts';
import {
  NOT_BLANK,
  parsedOption,
  required,
  textOption,
  textOrStdinOption,
} from './options.ts';
import { print, type CommandContext } from './view/output.ts';
import {
  continuation,
  leftText,
  showChange,
  showMove,
  showMoved,
  withData,
} from './view/report-run.ts';
import { withState } from '../state/run.ts';

const MAX_WHO_CHARS = 100;

const ANSWER_OPTIONS = {
  // Blank does not count as left out: then whatever waits by now would be answered.
  for: parsedOption(
    'only if exactly this waits, as `wait` in `status --json` names it',
    'wait',
    (input, bad) => {
      const wait = input.trim();
      if (wait === '') throw bad(NOT_BLANK);
      return wait;
    },
  ),
  by: parsedOption(
    'who answers, for the history; it is not checked',
    'who',
    (input, bad) => {
      const who = sanitizeLine(input);
      if (who.length > MAX_WHO_CHARS)
        throw bad(`at most ${MAX_WHO_CHARS} characters`);
      return who === '' ? undefined : who;
    },
  ),
};

export const approve = command({
  usage: 'approve [run]',
  about:
    'accept what an approval step shows, so that the run continues (only you: here, or as /holdfast:approve in Claude Code)',
  examples: [
    'holdfast approve',
    'holdfast approve --note "ship it, but leave the old API in place"',
    'holdfast approve release --for agree@01f0c3a9e --by "Ann, in the release channel"',
  ],
  takesProof: true,
  options: {
    note: textOrStdinOption(
      'what later steps should know; - reads standard input',
    ),
    ...ANSWER_OPTIONS,
  },
  run: async (
    cli,
    { run: name, note, for: named, by: who },
  ): Promise<Shown<CommandDocuments['approve'] | RepeatedAnswerDocument>> => {
    requireAnswerByPerson(cli, 'approve', name);
    requireBounded('--note', note);
    const asked = await waitToAnswer(cli, name, 'approve', named);
    if (asked.isRepeated)
      return showRepeated(cli, asked.run, 'approve', asked.wait);
    const { wait } = asked;
    const { runId } = asked.run;
    const gated = machineWithGates(asked.run);
    // Gates may take minutes, so they run before the lock is taken.
    const gates =
      gated === null
        ? []
        : await passGates(cli, runId, gated, { move: 'approve' });
    const answered = withRun(cli, runId, (run, tx, log) => {
      const machine = machineAtWait(run, 'approve', wait);
      if (machine === null) return { repeated: run };
      const { step } = machine.state;
      machine.approve(note);
      const after = withMachine(run, machine);
      const event = log({
        event: 'approved',
        step,
        phase: after.state.phase,
        wait,
        ...(who === undefined ? {} : { who }),
        ...(note === undefined ? {} : { note }),
        ...(gates.length === 0 ? {} : { gates }),
      });
      const moved = saveMove(cli, cli.caller, tx, {
        before: run,
        after,
        event,
        isForSession: false,
      });
      wakeHolder(cli, run);
      return { moved, left: placeOfWait(run) };
    });
    if ('repeated' in answered)
      return showRepeated(cli, answered.repeated, 'approve', wait);
    const { moved, left } = answered;
    const done = leftText(moved, `Approved ${left}`);
    return showMove(cli, moved, { done, next: continuation(cli, moved.run) });
  },
});

const feedbackOption = required(
  textOrStdinOption('what has to change, and why; - reads standard input'),
);

export const reject = command({
  usage: 'reject [run]',
  about:
    'send the work of an approval step back with feedback (only you: here, or as /holdfast:reject in Claude Code)',
  examples: ['holdfast reject --feedback "the plan leaves out the migration"'],
  takesProof: true,
  options: { feedback: feedbackOption, ...ANSWER_OPTIONS },
  run: async (
    cli,
    { run: name, feedback, for: named, by: who },
  ): Promise<Shown<PivotDocument | RepeatedAnswerDocument>> => {
    requireAnswerByPerson(cli, 'reject', name);
    const text = checkedFeedback(feedback);
    const asked = await waitToAnswer(cli, name, 'reject', named);
    const { wait } = asked;
    if (asked.isRepeated) return showRepeated(cli, asked.run, 'reject', wait);
    const sent = withRun(cli, asked.run.runId, (run, tx, log) => {
      const machine = machineAtWait(run, 'reject', wait);
      if (machine === null) return { repeated: run };
      return sendBack(cli, { run, tx, log, machine }, text, {
        go: () => machine.reject(),
        event: 'rejected',
        details: { wait, ...(who === undefined ? {} : { who }) },
      });
    });
    if (sent instanceof HoldfastError) throw sent;
    if ('repeated' in sent)
      return showRepeated(cli, sent.repeated, 'reject', wait);
    const { from, to, tag, ...moved } = sent;
    wakeHolder(cli, moved.run);
    const done = `Rejected ${sanitizeLine(from)}: the work goes back to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`;
    const next = continuation(cli, moved.run);
    const change = { done, isMove: false, next };
    return showMoved(cli, moved, change, { pivot: { from, to, tag } });
  },
});

export const pivot = command({
  usage: 'pivot <step>',
  about: 'go back to an earlier step, with feedback that survives a /clear',
  examples: [
    'holdfast pivot planning --feedback "the estimate leaves out the migration"',
    'holdfast pivot planning --feedback - < review.md',
  ],
  options: {
    feedback: feedbackOption,
    run: textOption('the run to change', 'run'),
  },
  run: (cli, { step, feedback, run: name }): Shown<PivotDocument> => {
    const text = checkedFeedback(feedback);
    const sent = withRun(cli, name, (run, tx, log) => {
      requireActive(run, 'pivot');
      const machine = machineOf(run);
      if (machine === null) throw noSteps(run.runId);
      return sendBack(cli, { run, tx, log, machine }, text, {
        go: () => machine.pivot(step),
        event: 'pivoted',
        details: { to: step },
      });
    });
    if (sent instanceof HoldfastError) throw sent;
    const { left, from, to, tag, ...moved } = sent;
    const done = `Went back from ${sanitizeLine(left)} to ${sanitizeLine(to)}. The feedback is kept as ${tag} until that step is finished.`;
    return showMoved(cli, moved, { done }, { pivot: { from, to, tag } });
  },
});

const QUESTIONS: Readonly<Record<Verb, string>> = {
  approve: 'Approve this?',
  reject: 'Send this back?',
};

/** What is answered: what `--for` names, else what waits now, which is shown and, on a terminal, has to be confirmed. */
async function waitToAnswer(
  cli: CommandContext,
  name: string | undefined,
  verb: Verb,
  named: string | undefined,
): Promise<{ run: Run; wait: string; isRepeated: boolean }> {
  const before =
    named === undefined ? null : runAnsweredBefore(cli, name, verb, named);
  if (named !== undefined && before !== null)
    return { run: before, wait: named, isRepeated: true };
  const { run, wait } = findWaitingRun(cli, name, verb, named);
  if (named === undefined) {
    print(2, waitLines(run).join('\n'));
    if (canAsk() && !(await confirm(QUESTIONS[verb])))
      throw new HoldfastError(
        'answer_unconfirmed',
        `${wait} was not ${ANSWERS[verb]}`,
        {
          hint: `nothing was changed; \`holdfast status ${run.runId}\` shows all of it`,
        },
      );
  }
  return { run, wait, isRepeated: false };
}

/** The same answer a second time, such as that of a program that did not get the reply to the first. */
function showRepeated(
  cli: CommandContext,
  run: Run,
  verb: Verb,
  wait: string,
): Shown<RepeatedAnswerDocument> {
  const done = `${sanitizeLine(wait)} was ${ANSWERS[verb]} before; nothing was changed.`;
  return withData(showChange(cli, run, { done }), { repeated: true } as const);
}

/** An idle client is woken by this file (see bin/hook.sh), unless its module looks at the run by itself. */
function wakeHolder({ registry, config }: Project, { state }: Run): void {
  const holder = holderOf(state);
  if (holder !== null && registry.entry(holder)?.module === undefined)
    new WakeMarks(config).wake(holder, ['FileChanged']);
}

/** An approval that the agent could give to itself would be none. */
function requireAnswerByPerson(
  context: OperationContext,
  verb: 'approve' | 'reject',
  name: string | undefined,
): void {
  requirePerson(context, 'approval', verb, () =>
    waysToAnswer(runMeant(context, name), false),
  );
  const { caller, store, registry } = context;
  // The module names the run by its whole id, so that no rule for names can choose another one below.
  const run = store.list().runs.find(({ runId }) => runId === name);
  const holder = run === undefined ? null : holderOf(run.state);
  const client = holder === null ? null : registry.clientOf(holder);
  if (mayAnswerFor(caller, client)) return;
  const message = 'this Claude Code has no session that holds the run';
  const hint = `answer in a terminal: \`holdfast ${verb}${run === undefined ? '' : ` ${run.runId}`}\``;
  throw new HoldfastError('run_of_other_client', message, { hint });
}

/** The run that the agent means, for the user's terminal, where the same words may mean another one; else empty. */
function runMeant(context: OperationContext, name: string | undefined): string {
  const run = attempt(() =>
    requireRun(context.store.list().runs, name, context),
  );
  return run instanceof HoldfastError ? '' : ` ${run.runId}`;
}

interface SentBack extends Moved {
  /** Where the run stood, in words, and by its step. */
  left: string;
  from: string;
  to: string;
  tag: string;
}

/**
 * Goes back in the run by `go` and keeps the feedback for the step that it leads to. A run that was sent back too often is
 * blocked instead, so that the user is asked. That is a change as well, so its refusal is returned: a live session that
 * holds the run is only told of changes that return.
 */
function sendBack(
  context: OperationContext,
  { run, tx, log, machine }: Change,
  feedback: string,
  {
    go,
    event,
    details,
  }: { go: () => void; event: 'pivoted' | 'rejected'; details: object },
): SentBack | HoldfastError {
  const from = machine.state.step;
  const left = machine.getStatus().progress.text;
  const refusal = attempt(go);
  if (refusal instanceof HoldfastError) {
    if (refusal.code !== 'too_many_pivots') throw refusal;
    const state: RunState = {
      ...run.state,
      phase: { ...run.state.phase, status: 'blocked' },
      status_reason: pivotRefusal(run),
    };
    tx.write(
      run,
      state,
      log({ event: 'pivot_refused', from, ...details, feedback }),
    );
    return refusal;
  }
  const to = machine.state.step;
  const { session } = context;
  const tag = feedbackTag(from);
  const back = withMachine(run, machine);
  const state = withFeedback(back.state, {
    from,
    to,
    tag,
    text: feedback,
    at: context.now.toISOString(),
    ...(session === null ? {} : { session_id: session }),
  });
  const moved = withState(back, state);
  const { phase } = state;
  const recorded = log({ event, from, ...details, to, feedback, phase });
  const saved = saveMove(context, context.caller, tx, {
    before: run,
    after: moved,
    event: recorded,
    isForSession: event === 'pivoted',
  });
  return { ...saved, left, from, to, tag };
}

/** A run under the lock, with its machine. */
interface Change {
  run: Run;
  tx: Transaction;
  log: (event: NewEvent) => NewEvent;
  machine: WorkflowStateMachine;
}

function noSteps(runId: string): HoldfastError {
  const message = `${runId} has no template, so it has no steps to go back to`;
  const hint = `set its phase with \`holdfast update ${runId} --phase <n>\`, and keep the feedback with \`holdfast update ${runId} --remind "…"\``;
  return new HoldfastError('no_steps_to_go_back', message, { hint });
}

function checkedFeedback(feedback: string): string {
  const text = feedback.trim();
  // Characters that leave the feedback blank on the screen.
  const invisible = /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/gu;
  if (text.replace(invisible, '') === '')
    throw new HoldfastError('blank_feedback', 'the feedback is blank', {
      hint: 'say what is wrong and what to do differently; the earlier step works from it',
    });
  requireBounded('--feedback', text, 'name that in the feedback');
  return text;
}
