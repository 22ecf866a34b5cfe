import { leftOutOf } from '../guidance/guidance.ts';
import {
  type Restoration,
  chooseRestoration,
  fullRestoration,
  withContextActionDone,
} from '../guidance/restore/choose-restoration.ts';
import { decideRun } from '../guidance/restore/restore-session.ts';
import { describeRestoration, describeStopped } from '../guidance/restore/describe-reason.ts';
import {
  type RenderedRestoration,
  renderRestoration,
} from '../guidance/restore/render-restoration.ts';
import { findTranscript } from '../sessions/find-transcript.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { isActive } from '../sessions/select-run.ts';
import { detectedRuns, previewSync } from '../sources/project-sources.ts';
import { isArchived } from '../state/paths.ts';
import { findNamedRun, findRunAnywhere } from './which-run.ts';

/**
 * What a session that starts with `source` would be given. Nothing is written. With `isResumed`, a run that is paused or
 * has failed is shown as `resume` would give it.
 */
export function previewGuidance(
  context: OperationContext,
  name: string | undefined,
  source: string,
  { isResumed = false } = {},
): RenderedRestoration {
  const stored = context.store.list().runs;
  const { sources, changes, ended } = previewSync(context, stored);
  const detected = detectedRuns(context, changes);
  // A workflow that is only declared has guidance as well: it is stored when it is resumed.
  const named =
    name === undefined
      ? null
      : (findNamedRun(context, stored, name, detected) ?? findRunAnywhere(context, name, stored));
  const declared = detected.map(({ run }) => run);
  // Only a compaction stores what is declared, and a command that names it.
  const isStored = source === 'compact' || (named !== null && !stored.includes(named));
  // The runs as they would be after the sync that the hook starts with.
  const synced = new Map(stored.map((run) => [run.runId, run]));
  for (const change of changes) {
    if (change.kind === 'end') synced.delete(change.run.runId);
    if (change.kind !== 'update') continue;
    const { run, state } = change;
    // Written then, so it is newer than the others.
    synced.set(run.runId, { ...run, state, modifiedAt: context.now.getTime() });
  }
  const runs = [...synced.values(), ...(isStored ? declared : [])];
  const { session } = context;
  const request = {
    ...context,
    runs,
    sources,
    declared: isStored ? [] : declared,
    ended,
    session,
    source,
    clientPlan: session === null ? undefined : context.registry.entry(session)?.plan?.path,
    isAttended: context.environment['CLAUDE_CODE_SESSION_ATTENDED'] !== '0',
  };
  const restore = (): Restoration => {
    if (named === null) {
      // The same decision as the hooks make; nothing is taken.
      const mayTakeRun = source === 'compact';
      const isRead = session !== null && mayTakeRun;
      const transcript = isRead ? findTranscript(context.config, session, context.root) : null;
      const known = { ...context, sources, arrival: null, mayTakeRun, transcript };
      return chooseRestoration(decideRun(runs, known), request);
    }
    const run = runs.find(({ runId }) => runId === named.runId) ?? named;
    return isResumed || (isActive(run) && !isArchived(run))
      ? fullRestoration(run, { rule: 'named' }, request)
      : { kind: 'nothing', why: describeStopped(run) };
  };
  return renderRestoration(withContextActionDone(restore(), request), request);
}

/** Why a session is given a text, and what each of its sections costs. */
export type Explanation = ReturnType<typeof explain>;

export function explain({ choice, text, guidance }: RenderedRestoration) {
  return {
    run_id: 'run' in choice ? choice.run.runId : null,
    kind: choice.kind,
    why: describeRestoration(choice),
    ...costOf(text ?? ''),
    sections: (guidance?.sections ?? []).map(({ name, text: content, cut }) => ({
      name,
      ...costOf(content),
      cut,
    })),
    left_out: guidance === null ? [] : leftOutOf(guidance),
  };
}

function costOf({ length }: string) {
  // Four characters a token is the usual rule of thumb for English and code.
  return { characters: length, tokens: Math.ceil(length / 4) };
}
