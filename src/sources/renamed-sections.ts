import { sameJson } from '../text/json.ts';
import type { RunDrafts } from './run-drafts.ts';
import { isGoing, parseDeclared } from './source-records.ts';
import { sourceStateOf } from './source-state.ts';
import type { RunDraft, SourceFile, SourceUpdate, SyncInput } from './types.ts';

/** A section of the local file, and a run whose own section is gone. */
interface Rename {
  draft: RunDraft;
  update: SourceUpdate;
}

/**
 * The sections of the local file that are the work of a run under another name, with that run. Only a section that is
 * new, and the only one with the phases or the reading of a section that is gone, counts as its correction.
 */
export function renamedSections(
  drafts: RunDrafts,
  { sources }: SyncInput,
): ReadonlyMap<SourceFile, RunDraft> {
  const withoutSection = drafts.all.filter(
    ({ state }) =>
      state.source?.kind === 'local-file' &&
      state.source.status !== 'gone' &&
      sourceStateOf(state, sources) === 'gone',
  );
  if (withoutSection.length === 0) return new Map();

  const newSections = sources
    .filter(isGoing)
    .filter(
      (update) =>
        update.kind === 'local-file' && drafts.find(update) === undefined,
    );
  const renames: Rename[] = [];
  for (const update of newSections)
    for (const draft of withoutSection)
      if (isSameWork(draft, update)) renames.push({ draft, update });

  const isOnlyOne = ({ draft, update }: Rename): boolean => {
    const rivals = renames.filter(
      (other) => other.draft === draft || other.update === update,
    );
    return rivals.length === 1;
  };
  return new Map(
    renames.filter(isOnlyOne).map(({ draft, update }) => [update, draft]),
  );
}

/** The same phases or the same required reading: then only the name of the work has changed. */
function isSameWork({ state }: RunDraft, { said }: SourceUpdate): boolean {
  const before = parseDeclared(state.source?.said);
  return (
    isSameList(said.phases, before?.phases ?? state.phases) ||
    isSameList(said.required_reading, before?.required_reading) ||
    isSameList(said.required_reading, state.required_reading)
  );
}

/** Whether both have the same entries, in any order. Two empty lists show nothing. */
function isSameList(
  list: readonly string[] = [],
  other: readonly string[] = [],
): boolean {
  if (list.length === 0) return false;
  const entries = [...new Set(list)].toSorted();
  return sameJson(entries, [...new Set(other)].toSorted());
}
