import {
  checkSettings,
  type Settings,
  type SettingsProblem,
} from '../../settings/settings.ts';
import { ownMember, sameJson } from '../../text/json.ts';
import { evaluate } from '../../text/conditions.ts';
import { asWord } from '../../text/sanitize.ts';
import { slugOf, digestOf } from '../../text/slug.ts';
import { canonicalPath } from '../../files/environment.ts';
import { holderOf, sessionRecord } from '../../sessions/holder.ts';
import type { RunState, StoredRun } from '../../state/types.ts';
import { hasBegunStepAt } from '../../state/progress.ts';
import {
  isMissing,
  loadPlain,
  targetOf,
  toBePrimed,
  type Artifact,
  type DueArtifact,
} from './load-plain.ts';

/** A problem of a declaration costs that artifact, or that part of it. */
export type Declared = { artifacts: Artifact[]; problems: SettingsProblem[] };

/** A template's artifacts, or without one the settings', and those of the run's state file, which replace others by id. */
export function declaredArtifacts(
  { template, critical_artifacts: own }: RunState,
  settings: Pick<Settings, 'critical_artifacts'>,
): Declared {
  const all = [
    checked((template ?? settings).critical_artifacts),
    checked(own),
  ];
  const byId = new Map(
    all
      .flatMap(({ artifacts }) => artifacts)
      .map((artifact) => [artifact.id, artifact]),
  );
  return {
    artifacts: [...byId.values()],
    problems: all.flatMap(({ problems }) => problems),
  };
}

function checked(declaration: unknown): Declared {
  if (sameJson(declaration ?? {}, {})) return { artifacts: [], problems: [] };
  const { settings, problems } = checkSettings({
    critical_artifacts: declaration,
  });
  const {
    always_load = [],
    conditional_load = [],
    phase_specific = [],
  } = settings.critical_artifacts;
  const artifacts = [
    ...[...always_load, ...conditional_load].map((artifact) => ({
      reload_triggers: ['session_start', 'compaction'],
      ...artifact,
    })),
    ...phase_specific.map((artifact) => ({ reload_triggers: [], ...artifact })),
  ];
  return { artifacts, problems };
}

/** Whether an artifact is loaded now. One that is `in context` still counts as due. */
export interface Decision {
  artifact: Artifact;
  verdict:
    | 'load'
    | 'not asked for'
    | 'condition false'
    | 'condition bad'
    | 'in context';
  /** The trigger that fired, or why it is not loaded. */
  why: string;
}

const MAX_CONDITION = 200;

/** For each artifact whose trigger fires, in order. */
export const decide = (
  artifacts: readonly Artifact[],
  occasion: TriggerMatcher,
  state: RunState,
): Decision[] =>
  artifacts.flatMap((artifact): Decision[] => {
    const { condition = 'true', reload_triggers: triggers } = artifact;
    const trigger = occasion(triggers);
    if (trigger === undefined) return [];
    const result = evaluate(condition, state);
    const text = `the condition ${asWord(condition, MAX_CONDITION)}`;
    if (result.kind === 'bad')
      return [
        {
          artifact,
          verdict: 'condition bad',
          why: `${text} cannot be read: ${result.why}`,
        },
      ];
    return result.value
      ? [{ artifact, verdict: 'load', why: trigger }]
      : [
          {
            artifact,
            verdict: 'condition false',
            why: `${text} does not hold`,
          },
        ];
  });

/** Given the triggers of an artifact, returns the one that fires now, if any. */
export type TriggerMatcher = (
  triggers: readonly string[],
) => string | undefined;

const atSessionStart = oneOf('session_start');

/** A compaction is followed by a start of the same session. */
const afterCompaction = oneOf('compaction', 'session_start');

function oneOf(...names: string[]): TriggerMatcher {
  return (triggers) => triggers.find((trigger) => names.includes(trigger));
}

/** A request by hand means every artifact. */
export const manual: TriggerMatcher = () => 'manual';

/** The triggers of a move; null if the run stays in its phase and step. */
export function transitionBetween(
  before: RunState,
  after: RunState,
): TriggerMatcher | null {
  if (
    before.phase.current === after.phase.current &&
    stepOf(before) === stepOf(after)
  )
    return null;
  return moveBetween(
    phaseNames(before, stepOf(before), before.phase.name),
    after,
  );
}

/** The triggers of the move into the current step, or of the start of its first phase. */
export function entryIntoStep(state: RunState): TriggerMatcher {
  const left = ownMember(state.machine, 'cameFrom');
  return moveBetween(isFilled(left) ? phaseNames(state, left) : null, state);
}

/** `from` is null at the start of a run. */
function moveBetween(from: string[] | null, state: RunState): TriggerMatcher {
  const to = phaseNames(state, stepOf(state), state.phase.name);
  return (triggers) => triggers.find((trigger) => firesAt(trigger, from, to));
}

/** The triggers of a run that starts: its first phase starts, too. */
export function startOfRun(state: RunState): TriggerMatcher {
  const entry = entryIntoStep(state);
  return (triggers) => atSessionStart(triggers) ?? entry(triggers);
}

const stepOf = ({ machine }: RunState): unknown => ownMember(machine, 'step');

/** All names of a phase: the id of the step, its phase and the name in the run; the last two also as slugs. */
function phaseNames(state: RunState, id: unknown, name?: string): string[] {
  const listed = ownMember(state.template, 'steps');
  const steps: unknown[] = Array.isArray(listed) ? listed : [];
  const index = steps.findIndex(
    (candidate) => ownMember(candidate, 'id') === id,
  );
  const phases = [
    ownMember(steps[index], 'phase'),
    name ?? state.phases?.[index],
  ].filter(isFilled);
  return [...phases, ...phases.map(slugOf), ...[id].filter(isFilled)];
}

const isFilled = (value: unknown): value is string =>
  typeof value === 'string' && value !== '';

function firesAt(
  trigger: string,
  from: string[] | null,
  to: string[],
): boolean {
  const [, kind, names = ''] =
    /^(phase_start|phase_transition):(.+)$/s.exec(trigger) ?? [];
  if (kind === undefined)
    return trigger === 'phase_transition' && from !== null;
  // A phase of several steps starts with the first of them.
  if (kind === 'phase_start')
    return isNamed(to, names) && !isNamed(from, names);
  const [left = '', ...right] = names.split('->');
  return isNamed(from, left) && isNamed(to, right.join('->'));
}

const isNamed = (names: string[] | null, wanted: string): boolean =>
  names !== null &&
  (names.includes(wanted.trim()) || names.includes(slugOf(wanted)));

/** `source`: why the session starts. */
type SessionContext = {
  root: string;
  now: Date;
  source: string;
  settings: Settings;
};

/** What a session that has lost its context is given of the run's artifacts; no file is given twice. */
export function artifactsForSession(
  run: StoredRun,
  reading: readonly { path: string }[],
  { root, now, source, settings }: SessionContext,
): DueArtifact[] {
  const { state } = run;
  const { artifacts } = declaredArtifacts(state, settings);
  const occasion = source === 'compact' ? afterCompaction : atSessionStart;
  const entry = entryOf(run, source, now);
  const listed = new Set(reading.map(({ path }) => path));
  return decide(
    artifacts,
    (triggers) => occasion(triggers) ?? entry?.(triggers),
    state,
  ).flatMap(({ artifact, verdict }) => {
    if (verdict !== 'load') return [];
    const plain = loadPlain(artifact, run, root);
    const path = plain.path === undefined ? artifact.id : `@${plain.path}`;
    if (listed.has(path)) return [];
    listed.add(path);
    const isListed =
      plain.kind === 'text' && occasion(artifact.reload_triggers) === undefined;
    return [{ ...artifact, loaded: isListed ? toBePrimed(artifact) : plain }];
  });
}

/**
 * The triggers of the step that begins with this compaction or clear; null if none does. What they name was given before
 * the conversation lost it, so it is named again. `holdfast run` clears by a fresh session.
 */
function entryOf(
  run: StoredRun,
  source: string,
  now: Date,
): TriggerMatcher | null {
  const begun =
    source === 'startup'
      ? sessionRecord(run.state, holderOf(run.state) ?? '')?.started_at
      : now.toISOString();
  return begun !== undefined && hasBegunStepAt(run, begun)
    ? entryIntoStep(run.state)
    : null;
}

/** What a session that has its conversation still does not have of it as it is now, and what is required and missing. */
export function artifactsLost(
  run: StoredRun,
  reading: readonly { path: string }[],
  context: SessionContext,
): DueArtifact[] {
  const inContext = run.state.context_metadata?.artifacts_in_context ?? [];
  return artifactsForSession(run, reading, context).filter((due) => {
    const { id, loaded } = due;
    if (loaded.kind !== 'text') return isMissing(due);
    const found = inContext.findLast((entry) => entry.artifact_id === id);
    // What git says changes with the work of the session itself.
    return (
      found === undefined ||
      (loaded.path !== undefined && found.digest !== digestOf(loaded.text))
    );
  });
}

export const artifactFiles = (
  run: StoredRun,
  { root, settings }: Pick<SessionContext, 'root' | 'settings'>,
): { id: string; path: string }[] =>
  declaredArtifacts(run.state, settings).artifacts.flatMap((artifact) => {
    const target = targetOf(artifact, run, root);
    return target.kind === 'path'
      ? [{ id: artifact.id, path: canonicalPath(root, target.text) }]
      : [];
  });
