import { realPath } from '../../files/environment.ts';
import {
  chooseRun,
  hasReleased,
  isFromSync,
  isOpenToEvidence,
  isSectionGone,
  type RunChoice,
  type TranscriptFinding,
} from '../../sessions/choose-run.ts';
import {
  heldRun,
  hold,
  holderOf,
  isGuess,
  releaseRun,
  tellFormerHolder,
  withoutHolder,
  takeOverRun,
} from '../../sessions/holder.ts';
import { isHeldByLiveSession } from '../../sessions/liveness.ts';
import { type LivenessContext } from '../../sessions/liveness.ts';
import {
  EvidenceFinder,
  type EvidenceTarget,
} from '../../sessions/evidence.ts';
import { isActive } from '../../state/run.ts';
import { isStale, writtenAt } from '../../sources/source-state.ts';
import type { Transaction } from '../../state/store/store.ts';
import type { Environment, Hold, RunState, Run } from '../../state/types.ts';
import { awaitsContext } from '../../state/progress.ts';
import { sameJson } from '../../text/json.ts';
import { recordPendingReads } from '../reading/pending-reads.ts';
import {
  chooseRestoration,
  withContextActionDone,
  type Restoration,
  type RestorationInput,
} from './choose-restoration.ts';
import {
  renderRestoration,
  type RenderedRestoration,
} from './render-restoration.ts';
import {
  countCompaction,
  forgetLoaded,
  loadedDetails,
  recordAdded,
} from '../../state/in-context.ts';
import { readToolCalls } from '../../sessions/transcript.ts';

export type RestoreRequest = RestorationInput & { environment: Environment };

/** What a session gets back: chosen, rendered and recorded, under the lock. */
export function restoreSession(
  tx: Transaction,
  request: RestoreRequest,
): RenderedRestoration {
  const { session } = request;
  const choice = chooseRestoration(decideUnderLock(tx, request), request);
  if (session === null) return renderChoice(choice, request);
  const taken = takeChosenRun(tx, choice, session, request);
  const rendered = renderChoice(taken, request);
  recordRestoration(tx, rendered, session, request);
  return rendered;
}

function renderChoice(
  choice: Restoration,
  request: RestoreRequest,
): RenderedRestoration {
  return renderRestoration(withContextActionDone(choice, request), request);
}

/** The session holds the run that it gets; it does not get a run that it is only offered. */
function takeChosenRun(
  tx: Transaction,
  choice: Restoration,
  session: string,
  request: RestoreRequest,
): Restoration {
  if (!('run' in choice)) return choice;
  const { run, reason } = choice;
  const state = takeRun(tx, run, reason.rule, session, request);
  return { ...choice, run: { ...run, state } };
}

/** Writes the run that the session holds now, with its journal event, and the files that the session still has to read. */
function recordRestoration(
  tx: Transaction,
  rendered: RenderedRestoration,
  session: string,
  request: RestoreRequest,
): void {
  const { choice, guidance, inlined, text } = rendered;
  if (!('run' in choice)) return;
  const { source, now } = request;
  const isCompaction = source === 'compact';
  const held = choice.run.state;
  let kept = held;
  // A session that gets the short form still has its conversation, with the files in it.
  if (choice.kind !== 'short')
    kept = forgetLoaded(isCompaction ? countCompaction(held) : held);
  const trigger = isCompaction ? 'compaction' : 'session_start';
  const added = inlined.map((file) => ({ ...file, trigger }));
  const state = recordAdded(kept, added, now);
  tx.write(choice.run, state, {
    event: 'restored',
    source,
    given: choice.kind,
    session_id: session,
    characters: text?.length ?? 0,
    ...loadedDetails(held, state),
  });
  // Only Claude Code is reminded.
  if (guidance !== null && request.environment.host === undefined)
    recordPendingReads(tx, session, rendered);
}

/** How long the transcript may be read: the host waits for the hook meanwhile. */
const TRANSCRIPT_MS = 500;

/** Decides whose run it is, and reads the transcript only if nothing else decides; that acts at a compaction only. */
export function decideRun(input: RestorationInput): RunChoice {
  const {
    runs,
    former = null,
    source,
    now,
    sources,
    began,
    isOtherSeenSince,
  } = input;
  const written = (run: Run): number => writtenAt(run, sources);
  const facts = {
    ...input,
    former,
    isStale: (run: Run) => isStale(run, sources, now),
    isWrittenSinceStart: (run: Run) =>
      began !== undefined &&
      run.state.source?.path !== undefined &&
      written(run) > began,
    isSeenByOthers: (run: Run) => isOtherSeenSince?.(written(run)) === true,
  };
  const choice = chooseRun({ ...facts, transcript: 'not_read' });
  if (source !== 'compact') return choice;
  const isUndecided = choice.kind === 'undecided';
  if (!isUndecided && !isOpenToEvidence(choice)) return choice;

  const candidates = isUndecided ? choice.candidates : runs.filter(isActive);
  const transcript = lookForEvidence(candidates, input);
  const decided = chooseRun({ ...facts, transcript });
  // Evidence that is found only now is of what the session did since: that compaction was cancelled.
  const isNew = 'reason' in decided && decided.reason.rule === 'unclaimed';
  return isNew && input.isAsked ? choice : decided;
}

function lookForEvidence(
  candidates: readonly Run[],
  { runs, transcript = null, root }: RestorationInput,
): TranscriptFinding {
  if (transcript === null) return 'unavailable';
  const deadline = Date.now() + TRANSCRIPT_MS;
  const calls = readToolCalls(transcript, () => Date.now() > deadline);
  if (calls === null) return 'unavailable';
  const finder = new EvidenceFinder(runs.map(targetOf), root, realPath(root));
  return finder.find(calls, candidates) ?? 'no_evidence';
}

/** A state file and the plan that it requires are one workflow. */
function targetOf(run: Run): EvidenceTarget {
  const { source, required_reading: reading } = run.state;
  const required = reading
    .map((entry) => entry.slice(1))
    .filter((path) => path.endsWith('PLAN.md'));
  const files = [run.path];
  // The file of a section that is gone is one of other workflows.
  if (source?.path !== undefined && !isSectionGone(run))
    files.push(source.path);
  files.push(...required);
  const sectionOf = source?.kind === 'local-file' ? source.path : undefined;
  return { run, files, sectionOf };
}

/** Decides from the runs listed before the lock; if the chosen run has changed since, decides again from the current ones. */
export function decideUnderLock(
  tx: Transaction,
  input: RestorationInput,
): RunChoice {
  const first = decideRun(input);
  if (first.kind !== 'run') return first;
  const current = tx.reread(first.run);
  const before = input.runs.find(({ runId }) => runId === current?.runId);
  const isUnchanged =
    current !== undefined && sameJson(current.state, before?.state);
  return isUnchanged ? first : decideRun({ ...input, runs: tx.runs });
}

/** The state of the chosen run once the session holds it. The session that loses it is told, unless `/clear` ended it. */
export function takeRun(
  tx: Transaction,
  run: Run,
  rule: string,
  session: string,
  { now, environment }: Pick<RestoreRequest, 'now' | 'environment'>,
): RunState {
  const { state } = run;
  if (rule === 'handed_over')
    return takeOverRun(state, session, environment, now, awaitsContext(run));
  tellFormerHolder(tx, run, session, now);
  if (rule === 'evidence') letGoOfOthers(tx, run, session, now);
  return hold(state, session, environment, now, HOLDS[rule]);
}

/** On what a session holds a run that it was given; by any other rule it has started or resumed the run itself. */
const HOLDS: Readonly<Record<string, Hold>> = {
  evidence: { by: 'evidence' },
  unclaimed: { by: 'only' },
  startup: { by: 'only' },
};

/** A session has one run: what it held by a guess it lets go, what it has written over it has released. */
function letGoOfOthers(
  tx: Transaction,
  kept: Run,
  session: string,
  now: Date,
): void {
  for (const run of tx.runs) {
    if (run.runId === kept.runId || holderOf(run.state) !== session) continue;
    const isLeft = isSectionGone(run) && !isGuess(run.state);
    const state = isLeft
      ? releaseRun(run.state, session, now)
      : withoutHolder(run.state);
    tx.write(run, state, { event: 'released', session_id: session });
  }
}

/** What Markdown may put around the line of an answer: `> `, `- `, `**`, a backtick, `<` and `>`. Bounded, for speed. */
const BEFORE_LINE = /[ \t>*_`"'-]{0,20}/;
const BEFORE_ID = /[ \t*_`"'<]{0,20}/;
const RUN_ID = /[^\s*`"'<>]{1,200}/;
const AFTER_LINE = /[*_`"'>]{0,20}[ \t]*/;

/** A line of a summary, in part or as a whole in Markdown: `- **holdfast run: auth-20250501_080000**`. */
const ANSWER = new RegExp(
  `^${BEFORE_LINE.source}holdfast run:${BEFORE_ID.source}(${RUN_ID.source})${AFTER_LINE.source}$`,
  'gim',
);

/**
 * The run that a summary names in a line `holdfast run: <id>`. Null if the session has a run already, if the summary
 * names none or several, or if a live session holds the one that it names.
 */
export function candidateAnswer(
  summary: string,
  runs: readonly Run[],
  session: string,
  context: LivenessContext,
): Run | null {
  const named = new Set<string>();
  for (const [, id = ''] of summary.matchAll(ANSWER)) named.add(id);
  const [id] = named;
  const run = runs.find((each) => isActive(each) && each.runId === id);
  if (run === undefined || named.size > 1) return null;
  return mayTakeNamedRun(run, runs, session, context) ? run : null;
}

function mayTakeNamedRun(
  run: Run,
  runs: readonly Run[],
  session: string,
  context: LivenessContext,
): boolean {
  if (heldRun(runs, session) !== undefined) return false;
  if (isFromSync(run) || hasReleased(run, session)) return false;
  return !isHeldByLiveSession(run, context);
}
