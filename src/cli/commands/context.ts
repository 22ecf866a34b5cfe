import { HoldfastError } from '../../errors/holdfast-error.ts';
import { requireActive, withActor, withRun } from '../../operations/with-run.ts';
import { runToRead } from '../../operations/run-to-read.ts';
import type { StoredRun } from '../../state/types.ts';
import { contextActionOf, contextActionHappened } from '../../workflow/run-view.ts';
import { contextActionText } from '../../workflow/machine/context-action-text.ts';
import type { CommandContext } from '../context.ts';

/** Only looks, unless somebody says that it was done where no hook could see it. */
export function contextAction(
  cli: CommandContext,
  name: string | undefined,
  options: { done?: boolean },
): void {
  const run = options.done === true ? markDone(cli, name) : runToRead(cli, name).run;
  const action = contextActionOf(run.state);
  cli.output.result(
    { run_id: run.runId, context_action: action },
    action === null ? 'This step asks for nothing.' : contextActionText(action),
  );
}

function markDone(cli: CommandContext, name: string | undefined): StoredRun {
  return withRun(cli, name, (run, tx) => {
    requireActive(run, 'context --done');
    const action = contextActionOf(run.state);
    if (action === null) throw new HoldfastError({ code: 'no_context_action', run: run.runId });
    if (action.state === 'performed') return run;
    const what = action.command === '/clear' ? 'clear' : 'compact';
    const state = {
      ...contextActionHappened(run.state, what, cli.now.toISOString()),
      adopted: true,
    };
    return tx.write(run, state, withActor(cli, { event: 'context', performed: action.command }));
  });
}
