import { realPath } from '../io/project-root.ts';
import { chooseRun, type RunChoice, type TranscriptFinding } from '../sessions/choose-run.ts';
import { evidenceWords, findEvidence, type EvidenceTarget } from '../sessions/evidence.ts';
import { findHandedOverRun, takeOverRun, type NewSession } from '../sessions/hand-over.ts';
import { hold, type LivenessContext, type TakenBy } from '../sessions/holder.ts';
import { readToolCalls } from '../sessions/transcript.ts';
import type { Transaction } from '../state/store/store.ts';
import type { Environment, RunState, StoredRun } from '../state/types.ts';
import { isStale } from '../sync/source-state.ts';
import type { SourceFile } from '../sync/types.ts';
import { sameJson } from '../util/json.ts';

/** How long the transcript may be read: the host waits for the hook meanwhile. */
const TRANSCRIPT_MS = 500;

export interface DecisionContext extends LivenessContext {
  root: string;
  session: string | null;
  /** A session that may take over the run of the session before it. */
  arrival: NewSession | null;
  /** Whether rules 4 and 5 act: they do at a compaction only. */
  mayTakeRun: boolean;
  /** The path of the session's transcript, if the host names one. */
  transcript: string | null;
  /** The files that feed the runs, as they are now; null outside a compaction, where no age decides. */
  sources: readonly SourceFile[] | null;
}

/** Decides whose run it is, and reads the transcript only if nothing else decides. */
export function decideRun(runs: readonly StoredRun[], context: DecisionContext): RunChoice {
  const { arrival, now, sources } = context;
  const known = {
    ...context,
    runs,
    handedOver: arrival === null ? null : findHandedOverRun(runs, arrival),
    isStale: (run: StoredRun) => isStale(run, sources ?? [], now),
  };
  const choice = chooseRun({ ...known, transcript: { kind: 'not_read' } });
  if (choice.kind !== 'undecided' || !context.mayTakeRun) return choice;
  return chooseRun({ ...known, transcript: lookForEvidence(runs, choice.candidates, context) });
}

function lookForEvidence(
  runs: readonly StoredRun[],
  candidates: readonly StoredRun[],
  { transcript, root }: DecisionContext,
): TranscriptFinding {
  const deadline = performance.now() + TRANSCRIPT_MS;
  const isOverdue = (): boolean => performance.now() > deadline;
  const targets = runs.map(targetOf);
  const calls =
    transcript === null ? null : readToolCalls(transcript, isOverdue, evidenceWords(targets));
  if (calls === null) return { kind: 'unavailable' };
  const place = { root, realRoot: realPath(root) };
  return { kind: 'read', evidence: findEvidence(calls, targets, candidates, place) };
}

/** A state file and the plan that it requires are one workflow. */
function targetOf(run: StoredRun): EvidenceTarget {
  const { source, required_reading: reading } = run.state;
  const required = reading
    .map((entry) => entry.slice(1))
    .filter((path) => path.endsWith('PLAN.md'));
  const files = [run.path, ...(source?.path === undefined ? [] : [source.path]), ...required];
  return { run, files };
}

/** Decides from the runs listed before the lock; if the chosen run has changed since, decides again from the current ones. */
export function decideUnderLock(
  tx: Transaction,
  listed: readonly StoredRun[],
  context: DecisionContext,
): RunChoice {
  const first = decideRun(listed, context);
  return isUnchanged(first, tx, listed) ? first : decideRun(tx.runs, context);
}

function isUnchanged(choice: RunChoice, tx: Transaction, listed: readonly StoredRun[]): boolean {
  if (choice.kind !== 'run') return true;
  const current = tx.reread(choice.run);
  const before = listed.find((run) => run.runId === current?.runId);
  return current !== undefined && sameJson(current.state, before?.state);
}

/** The state of the chosen run once the session holds it. */
export function heldState(
  { run, rule }: { run: StoredRun; rule: string },
  { arrival, now, session, environment }: HoldContext,
): RunState {
  return rule === 'handed_over' && arrival !== null
    ? takeOverRun(run.state, arrival, environment)
    : hold(run.state, session, environment, now, takenBy(rule));
}

export interface HoldContext extends Pick<DecisionContext, 'arrival' | 'now'> {
  session: string;
  environment: Environment;
}

function takenBy(rule: string): TakenBy | undefined {
  return rule === 'evidence' || rule === 'unclaimed' || rule === 'startup' ? rule : undefined;
}
