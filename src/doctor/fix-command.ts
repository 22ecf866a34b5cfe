import type { Registration } from './host/registrations.ts';
import { quoteForShell } from './quote-for-shell.ts';

/** What brings hooks up to date that are registered like this; one place of several is enough. */
export function fixCommandFor(found: readonly Registration[]): string {
  const inSettings = found.filter(({ isPlugin, scope }) => !isPlugin && scope !== 'policy');
  const here = inSettings.find(({ elsewhere }) => elsewhere === null);
  const first = here ?? inSettings[0] ?? found[0];
  return first === undefined ? 'holdfast init' : remedyFor(first);
}

/** The same where each place has to be brought up to date. */
export function fixCommandForEach(found: readonly Registration[]): string {
  const remedies = [...new Set(found.map(remedyFor))];
  const areCommands = remedies.every((remedy) => remedy.startsWith('holdfast '));
  return remedies.join(areCommands ? ' && ' : ', and ');
}

function remedyFor({ isPlugin, scope, elsewhere }: Registration): string {
  if (isPlugin) return 'update the plugin with /plugin';
  if (scope === 'policy') return 'ask whoever manages this machine to bring the hooks up to date';
  const place = elsewhere === null ? '' : `--cwd ${quoteForShell(elsewhere)} `;
  return `holdfast ${place}init --scope ${scope}`;
}
