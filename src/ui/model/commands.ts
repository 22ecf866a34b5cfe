import { unreachable } from '../../util/unreachable.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { RunCard } from './types/overview.ts';
import type { ContinueCommand } from './types/run.ts';

/**
 * What continues a run: for a terminal, or to type in Claude Code. The page copies these; it never runs anything. Only a
 * session can take a run that is active, and not from a live one.
 */
export function continueCommands({
  id,
  status,
  isArchived,
  waitsFor,
  holder,
}: Omit<RunCard, 'command'>): [ContinueCommand, ...ContinueCommand[]] {
  const run = shellQuote(id);
  const command = (label: string, text: string): ContinueCommand => ({ label, command: text });
  if (isArchived) return [command('Bring it back', `holdfast reopen ${run}`)];
  switch (status) {
    case 'completed':
      return [command('Archive it', `holdfast complete ${run}`)];
    case 'cancelled':
      return [command('Archive it', `holdfast cancel ${run} --reason "…"`)];
    case 'paused':
    case 'failed':
      return [
        command('In Claude Code', `/holdfast:resume ${run}`),
        command('In a terminal', `holdfast resume ${run}`),
      ];
    case 'in_progress':
      break;
    default:
      return unreachable(status);
  }
  if (waitsFor === 'approval')
    return [
      command('Approve', `holdfast approve ${run}`),
      command('Send back', `holdfast reject ${run} --feedback "…"`),
    ];
  return [
    holder?.isLive === true
      ? command('Take it from its session', `holdfast release ${run}`)
      : command('In Claude Code', `/holdfast:resume ${run}`),
    command('Where it stands', `holdfast status ${run}`),
  ];
}
