import { HoldfastError } from '../errors/holdfast-error.ts';
import type { StoredRun } from '../state/types.ts';
import { contextActionHappened, contextActionOf } from '../workflow/run-view.ts';
import type { OperationContext } from './open-project.ts';
import { requireActive } from './target-run.ts';
import { changeRun, withActor, withRun } from './with-run.ts';
import { isoTime } from '../util/iso-time.ts';

/** Whether the module performs the context actions of this run, or its steps ask. */
export function setPerform(
  context: OperationContext,
  name: string | undefined,
  perform: 'auto' | 'ask',
): StoredRun {
  return changeRun(context, name, ({ state }) => ({
    state: { ...state, perform, adopted: true },
    event: { event: 'updated', changes: { perform } },
  }));
}

/** Records a context action as performed where no hook could observe it. */
export function performContextAction(
  context: OperationContext,
  name: string | undefined,
): StoredRun {
  return withRun(context, name, (run, tx) => {
    requireActive(run, 'context --done');
    const action = contextActionOf(run.state);
    if (action === null) throw new HoldfastError({ code: 'no_context_action', run: run.runId });
    if (action.state === 'performed') return run;
    const kind = action.command === '/clear' ? 'clear' : 'compact';
    const state = contextActionHappened(run.state, kind, isoTime(context.now));
    const event = withActor(context, { event: 'context', performed: action.command });
    return tx.write(run, { ...state, adopted: true }, event);
  });
}
