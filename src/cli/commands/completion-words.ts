import { findDetectedRuns } from '../../operations/detected-run.ts';
import { byRecency } from '../../sessions/select-run.ts';
import type { StoredRun } from '../../state/types.ts';
import { slugOf } from '../../util/slug.ts';
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

/** The slug, unless several runs have it. A workflow that is only declared can be named as well. */
function runNames(cli: CommandContext): string[] {
  const stored = cli.store.list().runs;
  const detected = findDetectedRuns(cli, stored).map(({ run }) => run);
  const runs = byRecency([...stored, ...detected]);
  const counts = new Map<string, number>();
  for (const name of runs.flatMap(namesOf)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return runs.map((run) => (counts.get(run.slug) === 1 ? run.slug : run.runId));
}

/** A run whose workflow was renamed has two. */
function namesOf({ slug, state }: StoredRun): string[] {
  return [...new Set([slug, slugOf(state.workflow)])];
}

function templateNames(cli: CommandContext): string[] {
  return allTemplateNames(loadCatalog(cli.root));
}
