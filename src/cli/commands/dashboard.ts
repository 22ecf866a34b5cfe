import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { placesOfHooks } from '../output/how-to-resume.ts';
import { statusOf } from './status.ts';

/** What `holdfast` alone shows: the run in progress or how to start one, and whether the hooks are installed. */
export function dashboard(cli: CommandContext): void {
  const { report, text } = statusOf(cli, undefined, { isLook: true, lastPrompted: null });
  const places = placesOfHooks(cli);
  cli.output.result({ ...report, hooks: places }, `${text}\n\n${hooksLine(places)}`);
}

function hooksLine(places: readonly string[]): string {
  return places.length === 0
    ? 'Hooks    not installed, so nothing is restored yet: holdfast init'
    : `Hooks    registered in ${places.map(sanitizeLine).join(', ')}`;
}
