import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import {
  ignoredSettings,
  placesOfHooks,
  whatBringsFilesBack,
  whatSwitchesHooksOff,
} from '../registered-hooks.ts';
import { statusOf } from './status.ts';

/** What `holdfast` alone shows: the run in progress or how to start one, and whether the hooks are installed. */
export function dashboard(cli: CommandContext): void {
  const { report, text } = statusOf(cli, undefined, { isLook: true, lastPrompted: null });
  const places = placesOfHooks(cli);
  const off = whatSwitchesHooksOff(cli);
  const remedy = whatBringsFilesBack(cli);
  cli.output.result(
    { ...report, hooks: places, hooks_off: off },
    `${text}\n\n${hooksLine({ places, off, remedy, ignored: ignoredSettings(cli) })}`,
  );
}

function hooksLine({
  places,
  off,
  remedy,
  ignored,
}: {
  places: readonly string[];
  off: string | null;
  remedy: string | null;
  ignored: readonly string[];
}): string {
  if (places.length === 0) {
    return ignored.length === 0
      ? 'Hooks    not installed, so nothing is restored yet: holdfast init'
      : `Hooks    none: Claude Code ignores ${ignored.map(sanitizeLine).join(' and ')}, which is not JSON: holdfast doctor`;
  }
  const registered = `Hooks    registered in ${places.map(sanitizeLine).join(', ')}`;
  if (off !== null) return `${registered}, but ${sanitizeLine(off)}`;
  return remedy === null
    ? registered
    : `${registered}, but holdfast's files are not there, so nothing is restored yet: ${sanitizeLine(remedy)}`;
}
