import { isArchived } from '../state/paths.ts';
import type { Run } from '../state/types.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import { nextAction } from '../templates/next.ts';
import { shellQuote } from '../text/shell-commands.ts';
import type { ContinueCommand } from './page-data.ts';
import type { RunSummary } from './run-summary.ts';

/**
 * What continues a run, for a terminal or to type in Claude Code; the first fits most cases. The page copies these commands;
 * it never runs any.
 */
export function continueCommands(
  run: Run,
  status: RunSummary['status'],
  isHeldLive: boolean,
): [ContinueCommand, ...ContinueCommand[]] {
  const name = shellQuote(run.runId);
  if (isArchived(run)) return [inTerminal('Bring it back', `reopen ${name}`)];

  const resume = {
    label: 'In Claude Code',
    command: `/holdfast:resume ${name}`,
  };
  if (status === 'paused' || status === 'failed')
    return [resume, inTerminal('In a terminal', `resume ${name}`)];

  const { stop } = nextAction(run, 'auto', null).next;
  if (stop === 'done') {
    const end =
      status === 'cancelled'
        ? `cancel ${name} --reason "…"`
        : `complete ${name}`;
    return [inTerminal('Archive it', end)];
  }
  if (stop === 'approval')
    return [
      inTerminal('Approve', `approve ${name}`),
      inTerminal('Send back', `reject ${name} --feedback "…"`),
    ];

  // A phase that waits for the person's word begins from either.
  if (isWaitingPhase(run.state))
    return [resume, inTerminal('In a terminal', `resume ${name}`)];

  // Only a session can take a run that is active, and not from a live one.
  const take = isHeldLive
    ? inTerminal('Take it from its session', `release ${name}`)
    : resume;
  return [take, inTerminal('Where it stands', `status ${name}`)];
}

const inTerminal = (label: string, words: string): ContinueCommand => ({
  label,
  command: `holdfast ${words}`,
});
