import { byRecency } from '../../sessions/select-run.ts';
import type { StoredRun } from '../../state/types.ts';
import { allTemplateNames, loadCatalog } from '../../workflow/template/catalog.ts';
import { createContext, type CommandContext, type GlobalOptions } from '../context.ts';
import type { Output } from '../output/output.ts';

export type WordKind = 'runs' | 'templates';

/** Names come from files, and the shell inserts them unquoted, so only names without special characters are offered. */
const SAFE_WORD = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]*$/u;

export function completionWords(options: GlobalOptions, output: Output, kind: WordKind): void {
  // A warning would disturb the line that the user is typing.
  const cli = createContext(options, { ...output, warn: () => {} });
  const words = (kind === 'runs' ? runNames(cli) : templateNames(cli)).filter((word) =>
    SAFE_WORD.test(word),
  );
  output.result({ words }, words.join('\n'));
}

/** The slug, unless several runs have it. */
function runNames(cli: CommandContext): string[] {
  const runs = byRecency(cli.store.list().runs);
  const isUnique = ({ slug }: StoredRun): boolean =>
    runs.filter((run) => run.slug === slug).length === 1;
  return runs.map((run) => (isUnique(run) ? run.slug : run.runId));
}

function templateNames(cli: CommandContext): string[] {
  return allTemplateNames(loadCatalog(cli.root));
}
