import type { Registration } from './host/registrations.ts';
import { quoteForShell } from './quote-for-shell.ts';

/** The command that updates these hooks; if they are registered in several places, one is enough. */
export function fixCommandFor(found: readonly Registration[]): string {
  const inSettings = found.filter(({ isPlugin }) => !isPlugin);
  const here = inSettings.find(({ elsewhere }) => elsewhere === null);
  const first = here ?? inSettings[0] ?? found[0];
  return first === undefined ? 'holdfast init' : remedyFor(first);
}

/** The same if every place has to be updated. */
export function fixCommandForEach(found: readonly Registration[]): string {
  const remedies = [...new Set(found.map(remedyFor))];
  const areCommands = remedies.every((remedy) => remedy.startsWith('holdfast '));
  return remedies.join(areCommands ? ' && ' : ', and ');
}

function remedyFor({ isPlugin, scope, elsewhere }: Registration): string {
  if (isPlugin) return 'update the plugin with /plugin';
  const place = elsewhere === null ? '' : `--cwd ${quoteForShell(elsewhere)} `;
  return `holdfast ${place}init --scope ${scope}`;
}
