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
import type { Run, RunState, TemplateRun } from '../state/types.ts';
import { isAtPivotLimit, waysToAnswer } from '../machine/send-back.ts';
import { isGuarded } from '../machine/position.ts';
import { phaseStates } from '../state/progress.ts';
import { machineOf, stateWithMachine } from '../state/template-run.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { RUN, command, tool, type Shown } from './command.ts';
import type { EndDocument } from './json/documents.ts';
import { flag, textOption } from './options.ts';
import { runReply, showEnd } from './view/report-run.ts';
import { earlyText } from './view/status-report.ts';
import { PERSON_DECIDES } from '../templates/what-to-type-next.ts';

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
): Run {
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
  // Nothing else is left here that `sync` could tell the machines that have the run.
  if (purge && mayHaveSynced(context.root))
    context.store.transaction((tx) => notePurged(tx, ended.runId));
  return ended;
}

const MAX_GIT_CONFIG_BYTES = 1_000_000;

/** Whether sync may be or have been on here, by a look at git's configuration file: most projects pay nothing more. */
function mayHaveSynced(root: string): boolean {
  const repository = repositoryOf(root);
  if (repository === undefined) return false;
  const path = `${repository.common}/config`;
  const config = readTextFile(path, MAX_GIT_CONFIG_BYTES);
  return config.kind === 'text' && config.text.includes('[holdfast');
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
function earlyEnd(
  context: OperationContext,
  run: Run,
): Required<Pick<RunState, 'ended_early'>> | null {
  const { phase } = run.state;
  const left = openPhases(run);
  const openItems = openItemsOf(context, run);
  if (openItems !== null) left.push(openItemsText(openItems));
  if (left.length === 0) return null;
  const at = isCounted(phase) ? phaseNumber(phase) : phaseLabel(phase);
  return { ended_early: { at, left } };
}

/** The phases, or the steps of the template, that the run has not come to. */
function openPhases(run: Run): string[] {
  const { phase, phases = [] } = run.state;
  const names =
    run.kind === 'template' ? run.template.steps.map(({ id }) => id) : phases;
  const stateOf = phaseStates(run);
  const open: string[] = [];
  const count = isCounted(phase) ? phase.total : 0;
  for (let n = 1; n <= count; n += 1)
    if (stateOf(n) === 'open') open.push(names[n - 1] ?? `phase ${n}`);
  return open;
}

/** An agent would pass by the gates and approvals of the steps that are left. A person may do so. */
function requireNoGatesLeft(context: OperationContext, run: Run): void {
  if (mayEndBeforeGates(context.caller) || run.kind !== 'template') return;
  const { runId, status } = run;
  // A driven run is ended by its driver, whatever is left.
  const isDrivenRun = isDriven(context.environment, runId);
  const isBound = isDrivenRun || hasGateLeft(run);
  if (status.status === 'complete' || !isBound) return;

  const step = status.progress.text.replace(/, failed$/, '');
  const why = isDrivenRun ? '' : ', and gates or approvals are left';
  if (status.status === 'failed')
    throw new HoldfastError(
      'steps_left',
      `${runId} has failed at ${step}${why}`,
      { hint: PERSON_DECIDES },
    );
  throw new HoldfastError(
    'steps_left',
    `${runId} is not finished: it is at ${step}${why}`,
    { hint: howToGoOn(run) },
  );
}

/** Whether the current step or a later one is an approval or has a gate. */
function hasGateLeft({ template, status }: TemplateRun): boolean {
  const { steps } = template;
  const current = steps.findIndex(({ id }) => id === status.step);
  return steps
    .slice(current)
    .some((step) => step.type === 'approval' || isGuarded(template, step));
}

function howToGoOn({ runId, place, template, machine }: TemplateRun): string {
  if (place?.kind !== 'approval')
    return '`holdfast advance` finishes the step, `holdfast fail --reason "…"` says that it cannot be done; only a person can end the run earlier, in a terminal';
  const isAtLimit = isAtPivotLimit(template, machine);
  return `the user decides: ${waysToAnswer(` ${runId}`, isAtLimit)}`;
}
