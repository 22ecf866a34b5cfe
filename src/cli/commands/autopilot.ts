import { setPerform } from '../../operations/context-action.ts';
import type { CommandContext } from '../context.ts';

export type AutopilotMode = 'auto' | 'ask';

export function autopilot(
  cli: CommandContext,
  name: string | undefined,
  mode: AutopilotMode,
): void {
  const { runId } = setPerform(cli, name, mode);
  cli.output.result(
    { run_id: runId, perform: mode },
    mode === 'auto'
      ? `${runId} continues from step to step on its own, with Claude Code 2.1.286 or newer.\nNext: holdfast status; holdfast autopilot ask switches it off`
      : `${runId} asks before each /compact and /clear, and waits for you after each step.\nNext: holdfast status; holdfast autopilot auto switches it on`,
  );
}
