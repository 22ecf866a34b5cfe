import { estimatedTokens, type Section } from '../guidance/budget.ts';
import { leftOutOf } from '../guidance/guidance.ts';
import type { PendingReading } from '../guidance/reading/pending-reads.ts';
import {
  chooseRestoration,
  fullRestoration,
  withContextActionDone,
  type Restoration,
  type RestorationInput,
} from '../guidance/restore/choose-restoration.ts';
import { decideRun } from '../guidance/restore/restore-session.ts';
import { describeRestoration } from '../guidance/restore/describe-reason.ts';
import {
  renderRestoration,
  type RenderedRestoration,
} from '../guidance/restore/render-restoration.ts';
import type { RunChoice } from '../sessions/choose-run.ts';
import { findTranscript } from '../sessions/find-transcript.ts';
import { holderOf } from '../sessions/holder.ts';
import { isActive } from '../sessions/select-run.ts';
import { isArchived } from '../state/paths.ts';
import type { StoredRun } from '../state/types.ts';
import type { SyncChange } from '../sources/types.ts';
import { detectedRuns, previewSync } from './detected-run.ts';
import { ambiguousRunError, findNamedRun } from './named-run.ts';
import type { OperationContext } from './open-project.ts';
import { pendingReads } from './left-to-do.ts';
import { callerSession, findRunAnywhere } from './target-run.ts';

export interface GuidancePreview {
  restoration: RenderedRestoration;
  pendingReads: PendingReading | null;
}

export interface PreviewOptions {
  /** Whether a run that is paused or has failed is shown as `resume` would give it. */
  isResumed?: boolean;
}

/** What a session that starts with `source` would be given. Nothing is written. */
export function previewGuidance(
  context: OperationContext,
  name: string | undefined,
  source: string,
  { isResumed = false }: PreviewOptions = {},
): GuidancePreview {
  const stored = context.store.list().runs;
  const { sources, changes, ended } = previewSync(context, stored);
  const named = name === undefined ? null : namedForGuidance(context, stored, changes, name);
  const detected = detectedRuns(context, changes).map(({ run }) => run);
  // Only a compaction stores what is declared, and a command that names it.
  const isStored = source === 'compact' || (named !== null && !stored.includes(named));
  const runs = [...afterSync(context, stored, changes), ...(isStored ? detected : [])];
  const session = callerSession(context, runs);
  const request = {
    ...context,
    runs,
    sources,
    declared: isStored ? [] : detected,
    ended,
    session,
    source,
    isAttended: context.environment['CLAUDE_CODE_SESSION_ATTENDED'] !== '0',
  };
  const choice =
    named === null
      ? chooseRestoration(decide(context, runs, request), request)
      : namedRestoration(
          runs.find(({ runId }) => runId === named.runId) ?? named,
          request,
          isResumed,
        );
  const rendered = renderRestoration(withContextActionDone(choice, request), request);
  const held = runs.find((run) => isActive(run) && holderOf(run.state) === session);
  return {
    restoration: rendered,
    pendingReads: held === undefined || session === null ? null : pendingReads(context, held),
  };
}

/** Why a session is given a text, and what each of its sections costs. */
export interface Explanation {
  run_id: string | null;
  kind: string;
  why: string;
  characters: number;
  tokens: number;
  sections: {
    name: string;
    part: Section['part'];
    characters: number;
    tokens: number;
    cut: string | null;
  }[];
  left_out: string[];
}

export function explain({ choice, text, guidance }: RenderedRestoration): Explanation {
  const characters = text?.length ?? 0;
  const sections = (guidance?.sections ?? []).map(({ name, part, text: content, cut }) => ({
    name,
    part,
    characters: content.length,
    tokens: estimatedTokens(content.length),
    cut,
  }));
  return {
    run_id: 'run' in choice ? choice.run.runId : null,
    kind: choice.kind,
    why: describeRestoration(choice),
    characters,
    tokens: estimatedTokens(characters),
    sections,
    left_out: guidance === null ? [] : leftOutOf(guidance),
  };
}

function namedRestoration(
  run: StoredRun,
  request: Pick<RestorationInput, 'runs' | 'session'>,
  isResumed: boolean,
): Restoration {
  const isRestored = isActive(run) && !isArchived(run);
  return isRestored || isResumed
    ? fullRestoration(run, { rule: 'named' }, request)
    : { kind: 'nothing', why: { stopped: run } };
}

/** A workflow that is only declared has guidance as well: it is stored when it is resumed. */
function namedForGuidance(
  context: OperationContext,
  runs: readonly StoredRun[],
  changes: readonly SyncChange[],
  name: string,
): StoredRun {
  const found = findNamedRun(context, runs, name, detectedRuns(context, changes));
  if (found.kind === 'ambiguous') throw ambiguousRunError(name, found.runs);
  return found.kind === 'run' ? found.run : findRunAnywhere(context, name, runs);
}

/** The runs as they would be after the sync that the hook starts with. */
function afterSync(
  context: OperationContext,
  runs: readonly StoredRun[],
  changes: readonly SyncChange[],
): StoredRun[] {
  const current = new Map(runs.map((run) => [run.runId, run]));
  for (const change of changes) {
    switch (change.kind) {
      case 'end':
        current.delete(change.run.runId);
        break;
      case 'update':
        // Written then, so it is newer than the others.
        current.set(change.run.runId, {
          ...change.run,
          state: change.state,
          modifiedAt: context.now.getTime(),
        });
        break;
      case 'create':
      case 'records':
        break;
    }
  }
  return [...current.values()];
}

/** The same decision as the hooks make; nothing is taken. */
function decide(
  context: OperationContext,
  runs: readonly StoredRun[],
  { session, source, sources }: Pick<RestorationInput, 'session' | 'source' | 'sources'>,
): RunChoice {
  const mayTakeRun = source === 'compact';
  const transcript =
    session === null || !mayTakeRun ? null : findTranscript(context.config, session, context.root);
  return decideRun(runs, { ...context, session, sources, arrival: null, mayTakeRun, transcript });
}
