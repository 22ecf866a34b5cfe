import { HoldfastError } from '../../errors.ts';
import { requireActive, signed, withRun } from '../../operations/pick.ts';
import { runToRead } from '../../operations/run-to-read.ts';
import type { StoredRun } from '../../state/types.ts';
import { contextActionOf, happened } from '../../workflow/run-view.ts';
import { actionWords } from '../../workflow/words.ts';
import type { Cli } from '../context.ts';

/** Only looks, unless somebody says that it was done where no hook could see it. */
export function contextAction(
  cli: Cli,
  name: string | undefined,
  options: { done?: boolean },
): void {
  const run = options.done === true ? markDone(cli, name) : runToRead(cli, name).run;
  const action = contextActionOf(run.state);
  cli.output.result(
    { run_id: run.runId, context_action: action },
    action === null ? 'This step asks for nothing.' : actionWords(action),
  );
}

function markDone(cli: Cli, name: string | undefined): StoredRun {
  return withRun(cli, name, (run, tx) => {
    requireActive(run, 'context --done');
    const action = contextActionOf(run.state);
    if (action === null) throw new HoldfastError({ code: 'no_context_action', run: run.runId });
    if (action.state === 'performed') return run;
    const what = action.command === '/clear' ? 'clear' : 'compact';
    const state = { ...happened(run.state, what, cli.now.toISOString()), adopted: true };
    return tx.write(run, state, signed(cli, { event: 'context', performed: action.command }));
  });
}
