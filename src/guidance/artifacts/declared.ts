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
import type { RunState, Run } from '../../state/types.ts';
import { hasBegunStepAt } from '../../state/progress.ts';
import {
  isMissing,
  loadPlain,
  toBePrimed,
  type Artifact,
  type DueArtifact,
} from './load-plain.ts';
import { targetOf } from './artifact-path.ts';

/** A problem of a declaration costs that artifact, or that part of it. */
export type Declared = { artifacts: Artifact[]; problems: SettingsProblem[] };

/** A template's artifacts, or without one the settings', and those of the run's state file, which replace others by id. */
export function declaredArtifacts(
  { template, critical_artifacts: own }: RunState,
  settings: Pick<Settings, 'critical_artifacts'>,
): Declared {
  const declarations = [
    checked((template ?? settings).critical_artifacts),
    checked(own),
  ];
  const byId = new Map<string, Artifact>();
  const problems: SettingsProblem[] = [];
  for (const declared of declarations) {
    for (const artifact of declared.artifacts) byId.set(artifact.id, artifact);
    problems.push(...declared.problems);
  }
  return { artifacts: [...byId.values()], problems };
}

/** The triggers of an artifact that names none. */
const AT_EVERY_START = ['session_start', 'compaction'];

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
  const artifacts: Artifact[] = [];
  for (const artifact of [...always_load, ...conditional_load])
    artifacts.push({ reload_triggers: AT_EVERY_START, ...artifact });
  for (const artifact of phase_specific)
    artifacts.push({ reload_triggers: [], ...artifact });
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

const MAX_CONDITION_CHARS = 200;

/** For each artifact whose trigger fires, in order. */
export function decide(
  artifacts: readonly Artifact[],
  occasion: TriggerMatcher,
  state: RunState,
): Decision[] {
  const decisions: Decision[] = [];
  for (const artifact of artifacts) {
    const trigger = occasion(artifact.reload_triggers);
    if (trigger !== undefined)
      decisions.push(decideByCondition(artifact, trigger, state));
  }
  return decisions;
}

function decideByCondition(
  artifact: Artifact,
  trigger: string,
  state: RunState,
): Decision {
  const { condition = 'true' } = artifact;
  const result = evaluate(condition, state);
  const text = `the condition ${asWord(condition, MAX_CONDITION_CHARS)}`;
  if (result.kind === 'bad') {
    const why = `${text} cannot be read: ${result.why}`;
    return { artifact, verdict: 'condition bad', why };
  }
  return result.value
    ? { artifact, verdict: 'load', why: trigger }
    : { artifact, verdict: 'condition false', why: `${text} does not hold` };
}

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
  const isSamePhase = before.phase.current === after.phase.current;
  const step = stepOf(before);
  if (isSamePhase && step === stepOf(after)) return null;
  return moveBetween(phaseNames(before, step, before.phase.name), after);
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
  const names = [...phases, ...phases.map(slugOf)];
  return isFilled(id) ? [...names, id] : names;
}

const isFilled = (value: unknown): value is string =>
  typeof value === 'string' && value !== '';

function firesAt(
  trigger: string,
  from: string[] | null,
  to: string[],
): boolean {
  const [, kind, names = ''] = PHASE_TRIGGER.exec(trigger) ?? [];
  if (kind === undefined)
    return trigger === 'phase_transition' && from !== null;
  // A phase of several steps starts with the first of them.
  if (kind === 'phase_start')
    return isNamed(to, names) && !isNamed(from, names);
  const [left = '', ...right] = names.split('->');
  return isNamed(from, left) && isNamed(to, right.join('->'));
}

/** `phase_start:Build`, `phase_transition:Plan->Build` */
const PHASE_TRIGGER = /^(phase_start|phase_transition):(.+)$/s;

const isNamed = (names: string[] | null, wanted: string): boolean =>
  names !== null &&
  (names.includes(wanted.trim()) || names.includes(slugOf(wanted)));

interface SessionContext {
  root: string;
  now: Date;
  /** Why the session starts. */
  source: string;
  settings: Settings;
}

/** What a session that has lost its context is given of the run's artifacts; no file is given twice. */
export function artifactsForSession(
  run: Run,
  reading: readonly { path: string }[],
  { root, now, source, settings }: SessionContext,
): DueArtifact[] {
  const { state } = run;
  const { artifacts } = declaredArtifacts(state, settings);
  const start = source === 'compact' ? afterCompaction : atSessionStart;
  const entry = entryOf(run, source, now);
  const occasion: TriggerMatcher = (triggers) =>
    start(triggers) ?? entry?.(triggers);

  const listed = new Set(reading.map(({ path }) => path));
  const due: DueArtifact[] = [];
  for (const { artifact, verdict } of decide(artifacts, occasion, state)) {
    if (verdict !== 'load') continue;
    const plain = loadPlain(artifact, run, root);
    const path = plain.path === undefined ? artifact.id : `@${plain.path}`;
    if (listed.has(path)) continue;
    listed.add(path);
    // What only the step asks for was given when the step began and is lost now: it is named, for the agent to prime again.
    const isOfStep = start(artifact.reload_triggers) === undefined;
    const isNamedOnly = isOfStep && plain.kind === 'text';
    const loaded = isNamedOnly ? toBePrimed(artifact) : plain;
    due.push({ ...artifact, loaded });
  }
  return due;
}

/**
 * The triggers of the step that begins with this compaction or clear; null if none does. What they name was given before
 * the conversation lost it, so it is named again. `holdfast run` clears by a fresh session.
 */
function entryOf(run: Run, source: string, now: Date): TriggerMatcher | null {
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
  run: Run,
  reading: readonly { path: string }[],
  context: SessionContext,
): DueArtifact[] {
  const inContext = run.state.context_metadata?.artifacts_in_context ?? [];
  return artifactsForSession(run, reading, context).filter((due) => {
    const { id, loaded } = due;
    if (loaded.kind !== 'text') return isMissing(due);
    const found = inContext.findLast((entry) => entry.artifact_id === id);
    if (found === undefined) return true;
    // What git says changes with the work of the session itself.
    const isFile = loaded.path !== undefined;
    return isFile && found.digest !== digestOf(loaded.text);
  });
}

/** The artifacts of a run that are files, with their paths as `canonicalPath` gives them. */
export function artifactFiles(
  run: Run,
  { root, settings }: Pick<SessionContext, 'root' | 'settings'>,
): { id: string; path: string }[] {
  const files: { id: string; path: string }[] = [];
  for (const artifact of declaredArtifacts(run.state, settings).artifacts) {
    const target = targetOf(artifact, run, root);
    if (target.kind === 'path')
      files.push({ id: artifact.id, path: canonicalPath(root, target.text) });
  }
  return files;
}
