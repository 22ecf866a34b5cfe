import { registrationsIn } from '../../doctor/host/registrations.ts';
import { policyFilesIn, policyFolderOf } from '../../doctor/host/policy-files.ts';
import { shelllessCommand } from '../../install/plan/hook-command.ts';
import { BLOCKING_EVENT, hookEntries } from '../../install/plan/hook-entry.ts';

export interface HookPlace {
  root: string;
  config: string;
  /** The hook of the package that runs now. */
  hookFile: string;
  node: string;
  /** Whether edits wait until required files were read. */
  isBlocking: boolean;
}

/** Settings with the hooks that are not installed for this project; null if all are, so that none runs twice. */
export function hookSettings(place: HookPlace): string | null {
  const policyFiles = policyFilesIn(policyFolderOf(process.platform));
  const installed = new Set(
    registrationsIn({ ...place, policyFiles })
      // Only newer clients read the settings of another folder of the project.
      .filter(({ elsewhere }) => elsewhere === null)
      .map(({ event }) => event),
  );
  const missing = hookEntries(
    shelllessCommand(place.hookFile, place.node),
    place.isBlocking,
  ).filter(({ event }) => !installed.has(event) && (event !== BLOCKING_EVENT || place.isBlocking));
  if (missing.length === 0) return null;
  const hooks = missing.map(({ event, matcher, hook }) => [event, [{ matcher, hooks: [hook] }]]);
  return JSON.stringify({ hooks: Object.fromEntries(hooks) });
}
