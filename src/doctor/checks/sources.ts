import { readingList } from '../../guidance/reading/required-reading.ts';
import { isActive } from '../../sessions/select-run.ts';
import { phaseLabel, planOf } from '../../state/phases.ts';
import type { StoredRun } from '../../state/types.ts';
import { readSyncInput } from '../../sources/read-sources.ts';
import { describeUnclear, unclearSources } from '../../sources/project-sources.ts';
import { pluralize } from '../../text/relative-time.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Facts } from '../facts.ts';
import { ok, quoteForShell, warning, type Finding } from '../finding.ts';

/** Whether the local file and the plans can be read, and whether active runs have their files. */
export function checkSources(facts: Facts): Finding[] {
  const { store, settings } = facts;
  const { input, problems } = readSyncInput(
    { ...facts, settings: settings.settings, session: null },
    { runs: store.list().runs, sourceRecords: store.sourceRecords() },
  );
  const active = input.runs.filter(isActive);
  return [
    ok(
      pluralize(active.length, 'active run'),
      active.map(({ runId, state }) => sanitizeLine(`${runId}: phase ${phaseLabel(state.phase)}`)),
    ),
    ...problems.map(({ path, message }) => warning(message, `make ${path} readable`)),
    ...unclearSources(facts.root, input.sources).map((each) =>
      warning(describeUnclear(each), `add it to ${each.path}`),
    ),
    ...active.flatMap((run) => missingReading(facts, run)),
  ];
}

function missingReading({ root }: Facts, { runId, state }: StoredRun): Finding[] {
  // A plan outside the project is required on purpose: the agent opens it, and holdfast does not have to.
  const plan = `@${planOf(state) ?? ''}`;
  const missing = readingList(state, root).filter(
    (entry) => entry.state === 'missing' || (entry.state === 'outside' && entry.path !== plan),
  );
  const [first] = missing;
  if (first === undefined) return [];
  const unread = `${quoteForShell(runId)} --unread ${quoteForShell(first.path.slice(1))}`;
  return [
    warning(
      `${runId} requires files that cannot be read`,
      `restore the file, or \`holdfast update ${unread}\``,
      missing.map(({ path, state: why }) => `${sanitizeLine(path)} (${why})`),
    ),
  ];
}
