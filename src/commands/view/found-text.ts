import { detectedRuns, previewSync } from '../../sources/detected-runs.ts';
import { isActive } from '../../sessions/select-run.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { StoredRun } from '../../state/types.ts';
import {
  describeUnclear,
  unclearSources,
  type UnclearSource,
} from '../../sources/unclear-sources.ts';
import { pluralize } from '../../text/relative-time.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { CommandContext } from './output.ts';

const MAX_SHOWN = 5;

/** What there is to restore in this project, before any hook has run. */
export interface Found {
  runs: { workflow: string; phase: string; from: string; gets_back: string }[];
  not_understood: UnclearSource[];
}

export function findInProject(cli: CommandContext): Found {
  const { runs } = cli.store.list();
  const { changes, sources } = previewSync(cli, runs);
  const detected = detectedRuns(cli, changes).map(({ run }) => run);
  return {
    runs: [...runs.filter(isActive), ...detected].map((run) => ({
      workflow: run.state.workflow,
      phase: phaseLabel(run.state.phase),
      from: run.state.source?.path ?? run.path,
      gets_back: givenBack(run),
    })),
    not_understood: unclearSources(cli.root, sources),
  };
}

function givenBack({ state }: StoredRun): string {
  const parts = [
    `phase ${phaseLabel(state.phase)}`,
    ...counted(state.required_reading.length, 'file to read', 'files to read'),
    ...counted(state.key_reminders?.length ?? 0, 'reminder', 'reminders'),
    ...counted(Object.keys(state.context ?? {}).length, 'fact', 'facts'),
  ];
  return parts.join(', ');
}

function counted(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}

export function foundText({ runs, not_understood: unclear }: Found): string {
  const shown = runs
    .slice(0, MAX_SHOWN)
    .map((run) => `  ${sanitizeLine(`${run.workflow} (${run.from}): ${run.gets_back}`)}`);
  const left = runs.length - shown.length;
  return [
    runs.length === 0
      ? 'Found in this project: no workflow in progress. Declare one in CLAUDE.local.md or a plan, or type `holdfast start`.'
      : `Found in this project: ${pluralize(runs.length, 'workflow')} in progress. After a compaction a session gets back:`,
    ...shown,
    ...(left > 0 ? [`  and ${left} more: \`holdfast list\``] : []),
    ...unclear.map((each) => `  ${sanitizeLine(describeUnclear(each))}`),
  ].join('\n');
}
