import type { ContextActionState } from '../templates/machine/enter-step.ts';
import type { ContextCommand } from '../templates/machine/machine-state.ts';

/** Replaces the instructions while the user has to run `/clear` or `/compact`. */
export function requestText(command: ContextCommand): string {
  return `Please run \`${command}\` first: ${beginsWith(command)}. Only the user can type it.`;
}

/** The same for a person at a terminal, which has no such command. */
export function requestElsewhereText(command: ContextCommand): string {
  return `First \`${command}\` has to be typed in the Claude Code session that works on the run: ${beginsWith(command)}.`;
}

function beginsWith(command: ContextCommand): string {
  return `this step begins with a ${command === '/clear' ? 'cleared' : 'compacted'} context`;
}

export function contextActionText({ command, state }: ContextActionState): string {
  return {
    due: `${command} is due before this step begins; \`holdfast status\` asks for it in the session that works on the run.`,
    requested: `${command} was asked for; it has not happened yet. Only the user can type it.`,
    // A clear performs a compaction, too.
    performed:
      command === '/clear'
        ? '/clear was done before this step.'
        : 'The context was compacted or cleared before this step.',
  }[state];
}
