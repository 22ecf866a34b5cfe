import { recordFill } from '../../sessions/record-fill.ts';
import type { CommandContext } from '../context.ts';
import { wholeNumber } from '../options.ts';

/** Leaves a mark outside the project; the next prompt of the session tells it how full its context is. */
export function fill(cli: CommandContext, percent: string): void {
  const { session, settings } = cli;
  const value = wholeNumber('--percent', percent);
  if (session !== null) recordFill(cli, session, value, settings.context.warn);
}
