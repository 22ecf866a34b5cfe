import { byRecency, isActive } from '../../sessions/select-run.ts';
import type { LivenessContext } from '../../sessions/holder.ts';
import { phaseLabel } from '../../state/phases.ts';
import type { Listing } from '../../state/store/list-runs.ts';
import type { SyncChange } from '../../sync/types.ts';
import { runCard } from './run-card.ts';
import { oneLine } from './text.ts';
import type { DetectedWorkflow, FileProblem, Overview } from './types/overview.ts';

/** More are not drawn by any page; `holdfast list --all` lists them. */
const MAX_ARCHIVED = 5_000;

export interface OverviewInput extends LivenessContext {
  root: string;
  home: string;
  stored: Listing;
  archive: Listing;
  /** What the next compaction would change. */
  changes: readonly SyncChange[];
  setAside: readonly string[];
  /** Where hooks are registered. */
  hooks: readonly string[];
}

/** All runs of a project. */
export function overview(input: OverviewInput): Overview {
  const { root, stored, archive, changes, setAside, hooks } = input;
  const present = new Set(stored.runs.map(({ runId }) => runId));
  const archived = byRecency(archive.runs.filter(({ runId }) => !present.has(runId)));
  const runs = byRecency(stored.runs);
  const card = (run: (typeof runs)[number]): Overview['active'][number] => runCard(run, input);
  return {
    project: { name: oneLine(baseName(root)), root: oneLine(shortPath(root, input.home)) },
    active: runs.filter(isActive).map(card),
    stopped: runs.filter((run) => !isActive(run)).map(card),
    archived: archived.slice(0, MAX_ARCHIVED).map(card),
    archivedLeftOut: Math.max(0, archived.length - MAX_ARCHIVED),
    detected: changes.flatMap(detectedWorkflow),
    problems: problemsIn(stored, archive, setAside),
    hooks: hooks.map((place) => oneLine(place)),
  };
}

function baseName(root: string): string {
  const parts = root.split(/[\\/]/).filter((part) => part !== '');
  return parts.at(-1) ?? root;
}

/** The path as people write it. */
function shortPath(root: string, home: string): string {
  const isInHome = home !== '' && (root === home || /^[\\/]/.test(root.slice(home.length)));
  return isInHome && root.startsWith(home) ? `~${root.slice(home.length)}` : root;
}

function detectedWorkflow(change: SyncChange): DetectedWorkflow[] {
  if (change.kind !== 'create') return [];
  const { state, updates } = change;
  return [
    {
      workflow: oneLine(state.workflow),
      phase: oneLine(phaseLabel(state.phase)),
      source: oneLine(updates.map(({ source }) => source.path).join(', ')),
    },
  ];
}

function problemsIn(stored: Listing, archive: Listing, setAside: readonly string[]): FileProblem[] {
  const unreadable = [...stored.unreadable, ...archive.unreadable].map(({ path, why }) => ({
    path: oneLine(path),
    why: oneLine(why),
    fix: 'Repair the file. `holdfast validate` names the line.',
  }));
  const aside = setAside.map((path) => ({
    path: oneLine(path),
    why: 'it could not be read and was set aside',
    fix: 'Repair it and remove ".corrupt-…" from its name, or delete it.',
  }));
  return [...unreadable, ...aside];
}
