import { performContextAction, setPerform } from '../../operations/context-action.ts';
import { runToRead } from '../../operations/target-run.ts';
import { contextActionText } from '../../workflow/machine/context-action-text.ts';
import { contextActionOf } from '../../workflow/run-view.ts';
import type { CommandContext } from '../context.ts';

export interface ContextOptions {
  done?: boolean;
  perform?: 'auto' | 'ask';
}

export function contextAction(
  cli: CommandContext,
  name: string | undefined,
  options: ContextOptions,
): void {
  if (options.perform !== undefined) return switchPerform(cli, name, options.perform);
  const isDone = options.done === true;
  const run = isDone ? performContextAction(cli, name) : runToRead(cli, name).run;
  const action = contextActionOf(run.state);
  const text = action === null ? 'This step has no context action.' : contextActionText(action);
  const data = { run_id: run.runId, context_action: action };
  if (!isDone) return cli.output.result(data, text);
  cli.output.result(
    data,
    `Recorded ${action?.command ?? 'the context action'} as performed for ${run.runId}.\nNext: holdfast status prints the instructions of the step`,
  );
}

function switchPerform(
  cli: CommandContext,
  name: string | undefined,
  perform: 'auto' | 'ask',
): void {
  const { runId } = setPerform(cli, name, perform);
  cli.output.result(
    { run_id: runId, perform },
    perform === 'auto'
      ? `${runId} goes on by itself from step to step, with Claude Code 2.1.286 or newer.`
      : `${runId} asks before each /compact and /clear, and waits for you after each step.`,
  );
}
