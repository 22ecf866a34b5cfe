import { checkSettings, type Settings, type SettingsProblem } from '../settings/settings.ts';
import { isObject } from '../util/json.ts';
import type { RunState } from '../state/types.ts';
import type { Artifact } from './types.ts';

export interface Declared {
  artifacts: Artifact[];
  /** What is wrong with a declaration: it costs that artifact, or that part of it. */
  problems: SettingsProblem[];
}

/** A template's artifacts, or without one the settings', with what the state file of the run changes in them. */
export function declaredArtifacts(
  { template, critical_artifacts: changes }: RunState,
  settings: Pick<Settings, 'critical_artifacts'>,
): Declared {
  const base = checked((template ?? settings).critical_artifacts);
  const byId = new Map<unknown, Artifact>(
    base.artifacts.map((artifact) => [artifact.id, artifact]),
  );
  const own = checked(completed(changes, byId));
  for (const artifact of own.artifacts) byId.set(artifact.id, artifact);
  return { artifacts: [...byId.values()], problems: [...base.problems, ...own.problems] };
}

/** The triggers of an artifact that names none. */
const AT_EVERY_START = ['session_start', 'compaction'];

function checked(declaration: unknown): Declared {
  const { settings, problems } = checkSettings({ critical_artifacts: declaration ?? {} });
  const {
    always_load = [],
    conditional_load = [],
    phase_specific = [],
  } = settings.critical_artifacts;
  const artifacts = [
    ...[...always_load, ...conditional_load].map((artifact) => ({
      reload_triggers: AT_EVERY_START,
      ...artifact,
    })),
    ...phase_specific.map((artifact) => ({ reload_triggers: [], ...artifact })),
  ];
  return { artifacts, problems };
}

/** An entry that changes a declared artifact says only what is different; null takes a field away. */
function completed(declaration: unknown, byId: ReadonlyMap<unknown, Artifact>): unknown {
  if (!isObject(declaration)) return declaration;
  const complete = (entry: unknown): unknown =>
    isObject(entry)
      ? Object.fromEntries(
          Object.entries({ ...byId.get(entry['id']), ...entry }).filter(
            ([, value]) => value !== null,
          ),
        )
      : entry;
  return Object.fromEntries(
    Object.entries(declaration).map(([list, entries]) => [
      list,
      Array.isArray(entries) ? entries.map(complete) : entries,
    ]),
  );
}
