import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { placesOfHooks, whatSwitchesHooksOff } from '../registered-hooks.ts';
import { statusOf } from './status.ts';

/** What `holdfast` alone shows: the run in progress or how to start one, and whether the hooks are installed. */
export function dashboard(cli: CommandContext): void {
  const { report, text } = statusOf(cli, undefined, { isLook: true, lastPrompted: null });
  const places = placesOfHooks(cli);
  const off = whatSwitchesHooksOff(cli);
  cli.output.result(
    { ...report, hooks: places, hooks_off: off },
    `${text}\n\n${hooksLine(places, off)}`,
  );
}

function hooksLine(places: readonly string[], off: string | null): string {
  if (places.length === 0)
    return 'Hooks    not installed, so nothing is restored yet: holdfast init';
  const registered = `Hooks    registered in ${places.map(sanitizeLine).join(', ')}`;
  return off === null ? registered : `${registered}, but ${sanitizeLine(off)}`;
}
