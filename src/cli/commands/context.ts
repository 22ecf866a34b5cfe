import { performContextAction } from '../../operations/context-action.ts';
import { runToRead } from '../../operations/target-run.ts';
import { contextActionText } from '../../guidance/context-action-text.ts';
import { contextActionOf } from '../../workflow/run-view.ts';
import type { CommandContext } from '../context.ts';

export interface ContextOptions {
  done?: boolean;
}

export function contextAction(
  cli: CommandContext,
  name: string | undefined,
  options: ContextOptions,
): void {
  const isDone = options.done === true;
  const run = isDone ? performContextAction(cli, name) : runToRead(cli, name).run;
  const action = contextActionOf(run.state);
  const text = action === null ? 'This step has no context action.' : contextActionText(action);
  const data = { run_id: run.runId, context_action: action };
  if (!isDone) return cli.output.result(data, text);
  cli.output.result(
    data,
    `${action?.command ?? 'The context action'} is recorded as performed for ${run.runId}.\nNext: holdfast status prints the instructions of the step`,
  );
}
