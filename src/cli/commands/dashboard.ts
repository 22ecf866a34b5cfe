import { policyFilesIn, policyFolderOf } from '../../doctor/host/policy-files.ts';
import { placesIn, registrationsIn } from '../../doctor/host/registrations.ts';
import { sanitizeLine } from '../../util/sanitize.ts';
import type { CommandContext } from '../context.ts';
import { userConfig } from '../installation.ts';
import { statusOf } from './status.ts';

/** What `holdfast` alone shows: the run in progress or how to start one, and whether the hooks are installed. */
export function dashboard(cli: CommandContext): void {
  const { report, text } = statusOf(cli, undefined, { isLook: true, lastPrompted: null });
  const places = placesIn(
    registrationsIn({
      root: cli.root,
      config: userConfig(),
      policyFiles: policyFilesIn(policyFolderOf(process.platform)),
    }),
  );
  cli.output.result({ ...report, hooks: places }, `${text}\n\n${hooksLine(places)}`);
}

function hooksLine(places: readonly string[]): string {
  return places.length === 0
    ? 'Hooks    not installed, so nothing is restored yet: holdfast init'
    : `Hooks    registered in ${places.map(sanitizeLine).join(', ')}`;
}
