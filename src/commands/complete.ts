import { HoldfastError } from '../errors/holdfast-error.ts';
import { repositoryOf } from '../io/git.ts';
import { readTextFile } from '../io/read-file.ts';
import { isDriven } from '../operations/driver-record.ts';
import { endRun } from '../operations/end-run.ts';
import type { OperationContext } from '../operations/open-project.ts';
import { withActor, withRun } from '../operations/with-run.ts';
import { holderOf, recordCompletedPhase } from '../sessions/holder.ts';
import { phaseName } from '../state/phases.ts';
import { notePurged } from '../state/store/purged-runs.ts';
import type { RunState, StoredRun } from '../state/types.ts';
import { machineOf } from '../workflow/template-run.ts';
import { command } from './command.ts';
import { flag } from './options.ts';
import { showEnd } from './view/report-run.ts';

export const complete = command({
  usage: 'complete [run]',
  about: 'end the run as done; its record goes to the archive',
  examples: ['holdfast complete', 'holdfast complete user-auth --purge'],
  agent: 'may',
  options: { purge: flag('keep no record') },
  run: (context, { run: name, purge }) => {
    const ended = withRun(
      context,
      name,
      (run, tx) => {
        requireNoStepsLeft(context, run);
        const { phase } = run.state;
        const done: RunState = { ...run.state, phase: { ...phase, status: 'completed' } };
        const holder = holderOf(run.state);
        const state =
          holder === null
            ? done
            : recordCompletedPhase(done, holder, phaseName(phase), context.now);
        const event = withActor(context, { event: 'completed', phase });
        return endRun(context, tx, run, state, event, purge);
      },
      { takes: false },
    );
    // Nothing else is left here that `sync` could tell the machines that have the run.
    if (purge && maySync(context.root))
      context.store.transaction((tx) => notePurged(tx, ended.runId));
    return ended;
  },
  show: (cli, run) => showEnd(cli, run),
});

/** An agent that is driven would pass by the gates and approvals of the steps that are left. A person may do so. */
function requireNoStepsLeft({ environment }: OperationContext, { runId, state }: StoredRun): void {
  const machine = isDriven(environment, runId) ? machineOf(state) : null;
  if (machine === null) return;
  const { status, progress } = machine.getStatus();
  if (status === 'complete') return;
  const isFailed = status === 'failed';
  const step = progress.text.replace(/, failed$/, '');
  throw new HoldfastError(
    'steps_left',
    `${runId} is driven step by step and ${isFailed ? 'has failed at' : 'is not finished: it is at'} ${step}`,
    {
      hint: isFailed
        ? 'end your turn; a person decides in a terminal how the run goes on'
        : '`holdfast advance` finishes the step, `holdfast fail --reason "…"` says that it cannot be done; only a person can end the run earlier, in a terminal',
    },
  );
}

/** Whether sync may be or have been on here, by a look at git's configuration file: most projects pay nothing more. */
function maySync(root: string): boolean {
  const repository = repositoryOf(root);
  if (repository === undefined) return false;
  const config = readTextFile(`${repository.common}/config`, 1_000_000);
  return config.kind === 'text' && config.text.includes('[holdfast');
}
