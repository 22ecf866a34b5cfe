import {
  type Decision,
  type TriggerMatcher,
  decide,
  declaredArtifacts,
  transitionBetween,
} from '../guidance/artifacts/declared.ts';
import {
  type Artifact,
  isAbsent,
  isMissing,
} from '../guidance/artifacts/load-plain.ts';
import {
  type LoadedArtifact,
  lineFor,
  loadArtifact,
  printArtifacts,
} from '../guidance/artifacts/prime.ts';
import { type Caller, sessionOf } from '../sessions/caller.ts';
import { holderOf } from '../sessions/holder.ts';
import type { Project } from '../sessions/open-project.ts';
import { describeSettings } from '../settings/settings.ts';
import { withState } from '../state/run.ts';
import type { Run, RunState } from '../state/types.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { digestOf } from '../text/slug.ts';
import { recordAdded, recordDue } from '../state/in-context.ts';

/** What is read to load artifacts, and where it is said that a declaration cannot be used. */
type ArtifactProject = Pick<Project, 'root' | 'settings' | 'now' | 'warn'>;

/** How an artifact comes to the session at a move. */
type DueState = 'given' | 'in_context' | 'named' | 'missing';

export interface DueArtifacts {
  due: { id: string; state: DueState }[];
  text: string;
  /** Those that are required and missing. */
  absent: LoadedArtifact[];
}

/** With the run after the move; the artifacts printed now are recorded as in context. */
type DueWithRun = DueArtifacts & { run: Run };

const noneDue = (run: Run): DueWithRun => ({
  due: [],
  text: '',
  absent: [],
  run,
});

export function artifactsAtMove(
  project: ArtifactProject,
  caller: Caller,
  before: Run,
  after: Run,
  isForSession: boolean,
): DueWithRun {
  if (after.state.status === 'completed') return noneDue(after);
  const transition = transitionBetween(before.state, after.state);
  if (transition === null) return noneDue(after);
  const moved = withState(after, recordDue(after.state, []));
  return triggeredArtifacts(project, caller, moved, transition, isForSession);
}

/** The reply to a move also contains the next instructions, so file contents must not fill it. */
const MAX_CHARS = 10_000;

/** The artifacts due at a trigger, loaded with the run as it is after it. */
export function triggeredArtifacts(
  project: ArtifactProject,
  caller: Caller,
  run: Run,
  matcher: TriggerMatcher,
  isForSession = true,
): DueWithRun {
  const isWanted = ({ artifact, verdict, why }: Decision): boolean => {
    // A condition that cannot be read counts as false, which nobody would notice.
    if (verdict === 'condition bad')
      project.warn(`artifact ${artifact.id} is not loaded: ${why}`);
    return verdict === 'load';
  };
  const loaded = considerArtifacts(project, run, matcher, isWanted);
  if (loaded.length === 0) return noneDue(run);

  const isOwn = isForSession && isReadInSession(caller, run);
  const inContext = loaded.filter(({ since }) => isOwn && since !== undefined);
  const { text, given } = printArtifacts(
    loaded.filter((one) => !inContext.includes(one)),
    MAX_CHARS,
  );
  const stateOf = (one: Considered): DueState => {
    if (inContext.includes(one)) return 'in_context';
    if (given.includes(one)) return 'given';
    return isAbsent(one) ? 'missing' : 'named';
  };
  const absent = loaded.filter(isMissing);
  return {
    due: loaded.map((one) => ({ id: one.id, state: stateOf(one) })),
    text: isForSession
      ? textForSession(inContext, text)
      : textForPerson(loaded, absent),
    absent,
    run: withState(
      run,
      isOwn
        ? recordPrinted(run.state, given, project.now)
        : recordDue(run.state, idsOfNew(loaded)),
    ),
  };
}

/** `holdfast run` moves runs itself, and tells the session only where it stands. */
function isReadInSession(caller: Caller, { state }: Run): boolean {
  return caller.kind !== 'driver' && holderOf(state) === sessionOf(caller);
}

const idsOfNew = (loaded: readonly Considered[]): string[] =>
  loaded.filter(({ since }) => since === undefined).map(({ id }) => id);

/** Part of the reply to the session that moved the run: what it has already is only named, the contents of the rest follow. */
function textForSession(
  inContext: readonly Considered[],
  contents: string,
): string {
  const lines = inContext.map(
    ({ id }) => `Artifact ${sanitizeLine(id)} is already in context.`,
  );
  if (contents !== '') lines.push(contents);
  return lines.join('\n');
}

/** After a person has moved the run, the session that works on it loads the content itself. */
function textForPerson(
  loaded: readonly Considered[],
  absent: readonly Considered[],
): string {
  const names = loaded.map(({ id }) => id).join(', ');
  return [
    `Due at this step: ${names}. In the session, holdfast status names what it has to load.`,
    ...absent.map((one) => `Required: ${lineFor(one)}`),
  ].join('\n');
}

/** An artifact as it is now, and whether it is to be loaded: `trigger` is what fired, or why it is not. */
export interface Considered extends Artifact, LoadedArtifact {
  verdict: Decision['verdict'];
  /** When the session was given the content that it has now; undefined if it was not. */
  since: string | undefined;
}

/** Those artifacts of the run and the settings whose trigger fires and that are wanted: no other is read. */
export function considerArtifacts(
  { root, settings, warn }: Pick<Project, 'root' | 'settings' | 'warn'>,
  run: Run,
  matcher: TriggerMatcher,
  isWanted: (decision: Decision) => boolean = () => true,
): Considered[] {
  const { artifacts, problems } = declaredArtifacts(run.state, settings);
  for (const sentence of describeSettings(problems)) warn(sentence);
  const entries = run.state.context_metadata?.artifacts_in_context ?? [];
  const wanted = decide(artifacts, matcher, run.state).filter(isWanted);
  return wanted.map(({ artifact, verdict, why: trigger }) => {
    const loaded = loadArtifact(artifact, run, root);
    const entry = entries.findLast((each) => each.artifact_id === artifact.id);
    const isSame =
      loaded.kind === 'text' && entry?.digest === digestOf(loaded.text);
    return {
      ...artifact,
      verdict,
      trigger,
      loaded,
      since: isSame ? entry?.loaded_at : undefined,
    };
  });
}

export function requireArtifacts(
  { runId }: Run,
  absent: readonly LoadedArtifact[],
): void {
  if (absent.length === 0) return;
  throw artifactMissing(absent, {
    hint: `the run was not advanced; ${remedyFor(absent)}, or advance without it: \`holdfast advance ${runId} --force\``,
  });
}

export function artifactMissing(
  absent: readonly LoadedArtifact[],
  advice: { hint?: string; details?: string; data?: object },
): HoldfastError {
  const what = absent.map(lineFor).join('; ');
  return new HoldfastError(
    'artifact_missing',
    `required artifact missing: ${what}`,
    {
      hint: `${remedyFor(absent)}, then try again`,
      ...advice,
    },
  );
}

function remedyFor(absent: readonly LoadedArtifact[]): string {
  const isNotThere = absent.some(({ loaded }) => loaded.kind === 'missing');
  return isNotThere
    ? 'create it'
    : 'replace it by a text of at most 1 MB inside the project that agents may read';
}

export function recordPrinted(
  state: RunState,
  printed: readonly LoadedArtifact[],
  now: Date,
): RunState {
  const files = printed.flatMap(({ id, trigger, loaded }) =>
    loaded.kind === 'text' ? [{ id, content: loaded.text, trigger }] : [],
  );
  return recordAdded(state, files, now);
}
