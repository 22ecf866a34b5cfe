import { repositoryOf } from '../files/git.ts';
import { readTextFile } from '../files/read-file.ts';
import { changeNamedRun } from '../runs/change-run.ts';
import { endRun } from '../runs/move-run.ts';
import { isDriven } from '../sessions/client-process.ts';
import { holderOf, recordCompletedPhase } from '../sessions/holder.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { mayEndBeforeGates } from '../sessions/rights.ts';
import { openItemsOf, openItemsText } from '../sources/open-items.ts';
import {
  isCounted,
  phaseLabel,
  phaseName,
  phaseNumber,
} from '../state/phase-words.ts';
import { notePurged } from '../state/store/foreign-runs.ts';
import type { Run, RunState } from '../state/types.ts';
import { isAtPivotLimit, waysToAnswer } from '../machine/pivot.ts';
import { isGuarded } from '../machine/position.ts';
import { phaseStates } from '../state/progress.ts';
import { machineOf, stateWithMachine } from '../state/template-run.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { RUN, command, tool, type Shown } from './command.ts';
import type { EndDocument } from './json/documents.ts';
import { flag, textOption } from './options.ts';
import { runReply, showEnd } from './view/report-run.ts';
import { earlyText } from './view/status-report.ts';
import { PERSON_DECIDES } from '../templates/next-command.ts';

export const complete = command({
  usage: 'complete [run]',
  about: 'end the run as done; its record goes to the archive',
  examples: ['holdfast complete', 'holdfast complete user-auth --purge'],
  options: { purge: flag('keep no record') },
  run: (cli, { run, purge }): Shown<EndDocument> =>
    showEnd(cli, completeRun(cli, run, purge)),
  tool: tool({
    name: 'workflow_complete',
    about: 'Ends the workflow as done; what was left is recorded.',
    takes: { run: RUN },
    reply: (context, { run }) => {
      const ended = completeRun(context, run, false);
      const { ended_early: early } = ended.state;
      const how =
        early === undefined
          ? 'Completed'
          : `Ended early at ${earlyText(early)}`;
      return runReply(context, { run: ended, action: null }, `${how}.`);
    },
  }),
});

export const cancel = command({
  usage: 'cancel [run]',
  about: 'end the run as given up; its record goes to the archive',
  examples: [
    'holdfast cancel',
    'holdfast cancel --reason "the feature is no longer wanted"',
  ],
  options: { reason: textOption('why') },
  run: (cli, { run: name, reason }): Shown<EndDocument> => {
    const ended = changeNamedRun(
      cli,
      name,
      { takes: false, adopts: true },
      (run, tx, log) => {
        const why = reason === undefined ? {} : { status_reason: reason };
        const state: RunState = { ...run.state, status: 'cancelled', ...why };
        const event = log({
          event: 'cancelled',
          reason: reason ?? '',
          phase: state.phase,
        });
        return endRun(cli, cli.caller, tx, run, state, event);
      },
    );
    return showEnd(cli, ended);
  },
});

function completeRun(
  context: OperationContext,
  name: string | undefined,
  purge: boolean,
) {
  const ended = changeNamedRun(
    context,
    name,
    { takes: false, adopts: true },
    (run, tx, log) => {
      requireNoGatesLeft(context, run);
      const { phase } = run.state;
      const early = earlyEnd(context, run);
      const event = log({ event: 'completed', phase, ...early });
      const state =
        early === null
          ? finished(run, context.now)
          : { ...run.state, ...early };
      return endRun(context, context.caller, tx, run, state, event, purge);
    },
  );
  // Nothing else is left here that `sync` could tell the machines that have the run. Whether it may be or have been on here
  // is seen by a look at git's configuration file: most projects pay nothing more.
  const repository = purge ? repositoryOf(context.root) : undefined;
  const config =
    repository && readTextFile(`${repository.common}/config`, 1_000_000);
  if (config?.kind === 'text' && config.text.includes('[holdfast'))
    context.store.transaction((tx) => notePurged(tx, ended.runId));
  return ended;
}

function finished(run: Run, now: Date): RunState {
  const { state } = run;
  // A broken run can be ended, too.
  const machine = run.kind === 'broken' ? null : machineOf(run);
  machine?.finish();
  const done: RunState =
    machine === null
      ? { ...state, phase: { ...state.phase, status: 'completed' } }
      : stateWithMachine(state, machine);
  const holder = holderOf(state);
  return holder === null
    ? done
    : recordCompletedPhase(done, holder, phaseName(state.phase), now);
}

/** What is left of a run that has not come to its end; null if nothing is. An open-ended run ends where it is. */
function earlyEnd(context: OperationContext, run: Run) {
  const { phase } = run.state;
  const steps =
    run.kind === 'template'
      ? run.template.steps.map(({ id }) => id)
      : undefined;
  const phases = steps ?? run.state.phases ?? [];
  const stateOf = phaseStates(run);
  const length = isCounted(phase) ? phase.total : 0;
  const numbers = Array.from({ length }, (_, index) => index + 1);
  const open = openItemsOf(context, run);
  const left = [
    ...numbers
      .filter((n) => stateOf(n) === 'open')
      .map((n) => phases[n - 1] ?? `phase ${n}`),
    ...(open === null ? [] : [openItemsText(open)]),
  ];
  const at = isCounted(phase) ? phaseNumber(phase) : phaseLabel(phase);
  return left.length === 0 ? null : { ended_early: { at, left } };
}

/** An agent would pass by the gates and approvals of the steps that are left. A person may do so. */
function requireNoGatesLeft(context: OperationContext, run: Run): void {
  if (mayEndBeforeGates(context.caller) || run.kind !== 'template') return;
  const { runId, template, machine, place } = run;
  const { status, step: current, progress } = run.status;
  const rest = template.steps.slice(
    template.steps.findIndex(({ id }) => id === current),
  );
  const hasGate = rest.some(
    (step) => step.type === 'approval' || isGuarded(template, step),
  );
  const driven = isDriven(context.environment, runId);
  if (status === 'complete' || !(hasGate || driven)) return;
  const isFailed = status === 'failed';
  const next =
    place?.kind === 'approval'
      ? `the user decides: ${waysToAnswer(` ${runId}`, isAtPivotLimit(template, machine))}`
      : '`holdfast advance` finishes the step, `holdfast fail --reason "…"` says that it cannot be done; only a person can end the run earlier, in a terminal';
  const step = progress.text.replace(/, failed$/, '');
  const message = `${runId} ${isFailed ? 'has failed at' : 'is not finished: it is at'} ${step}${driven ? '' : ', and gates or approvals are left'}`;
  const hint = isFailed ? PERSON_DECIDES : next;
  throw new HoldfastError('steps_left', message, { hint });
}
