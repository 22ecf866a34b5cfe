import { performContextAction } from '../../operations/context-action.ts';
import { runToRead } from '../../operations/target-run.ts';
import { contextActionText } from '../../workflow/machine/context-action-text.ts';
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
  const run = options.done === true ? performContextAction(cli, name) : runToRead(cli, name).run;
  const action = contextActionOf(run.state);
  cli.output.result(
    { run_id: run.runId, context_action: action },
    action === null ? 'This step has no context action.' : contextActionText(action),
  );
}
