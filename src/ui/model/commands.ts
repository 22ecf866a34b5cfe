import { shellQuote } from '../../util/shell-quote.ts';
import type { RunCard } from './types/overview.ts';
import type { ContinueCommand } from './types/run.ts';

/** What continues a run: for a terminal, or to type in Claude Code. The page copies these; it never runs anything. */
export function continueCommands({ id, status, isArchived, waitsFor }: RunCard): ContinueCommand[] {
  const run = shellQuote(id);
  const command = (label: string, text: string): ContinueCommand => ({ label, command: text });
  if (isArchived) return [command('Bring it back', `holdfast reopen ${run}`)];
  if (status === 'completed') return [command('Archive it', `holdfast complete ${run}`)];
  const resume = [
    command('In Claude Code', `/holdfast:resume ${run}`),
    command('In a terminal', `holdfast resume ${run}`),
  ];
  if (status !== 'in_progress') return resume;
  if (waitsFor === 'approval')
    return [
      command('Approve', `holdfast approve ${run}`),
      command('Send back', `holdfast reject ${run} --feedback "…"`),
    ];
  return waitsFor === 'unblocking'
    ? [command('Where it stands', `holdfast status ${run}`), ...resume]
    : resume;
}
