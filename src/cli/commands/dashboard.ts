import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { ignoredSettings, placesOfHooks, whatSwitchesHooksOff } from '../registered-hooks.ts';
import { statusOf } from './status.ts';

/** What `holdfast` alone shows: the run in progress or how to start one, and whether the hooks are installed. */
export function dashboard(cli: CommandContext): void {
  const { report, text } = statusOf(cli, undefined, { isLook: true, lastPrompted: null });
  const places = placesOfHooks(cli);
  const off = whatSwitchesHooksOff(cli);
  cli.output.result(
    { ...report, hooks: places, hooks_off: off },
    `${text}\n\n${hooksLine(places, off, ignoredSettings(cli))}`,
  );
}

function hooksLine(
  places: readonly string[],
  off: string | null,
  ignored: readonly string[],
): string {
  if (places.length === 0) {
    return ignored.length === 0
      ? 'Hooks    not installed, so nothing is restored yet: holdfast init'
      : `Hooks    none: Claude Code ignores ${ignored.map(sanitizeLine).join(' and ')}, which is not JSON: holdfast doctor`;
  }
  const registered = `Hooks    registered in ${places.map(sanitizeLine).join(', ')}`;
  return off === null ? registered : `${registered}, but ${sanitizeLine(off)}`;
}
