import { type Guidance, leftOutOf } from '../guidance/guidance.ts';
import {
  type Restoration,
  type RestorationReason,
  chooseRestoration,
  withContextActionDone,
} from '../guidance/restore/choose-restoration.ts';
import { decideRun } from '../guidance/restore/restore-session.ts';
import {
  type RenderedRestoration,
  renderRestoration,
} from '../guidance/restore/render-restoration.ts';
import type { Evidence } from '../sessions/evidence.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import { isActive } from '../state/run.ts';
import { previewSync } from '../sources/project-sources.ts';
import { isArchived } from '../state/paths.ts';
import type { Run } from '../state/types.ts';
import { asWord } from '../text/sanitize.ts';
import { findNamedRun, findRunAnywhere } from './which-run.ts';
import { findTranscript } from '../sessions/transcript.ts';

/** What a session would be given of a run, after this kind of start. Writes nothing. */
export function previewGuidance(
  context: OperationContext,
  name: string | undefined,
  source: string,
): RenderedRestoration {
  const stored = context.store.list().runs;
  const preview = previewSync(context, stored);
  const { detected, ended, sourceRecords } = preview;
  // A workflow that is only declared has guidance as well: it is stored when it is resumed.
  const named =
    name === undefined
      ? null
      : (findNamedRun(context, [...stored, ...detected], name, sourceRecords) ??
        findRunAnywhere(context, name, stored));
  // Only a compaction stores what is declared, and a command that names it.
  const isStored =
    source === 'compact' || (named !== null && !stored.includes(named));
  // As the sync leaves them that the hook starts with.
  const runs = isStored
    ? preview.runs
    : preview.runs.filter((run) => !detected.includes(run));
  const { session } = context;
  const request = {
    ...context,
    runs,
    sources: preview.input.sources,
    declared: isStored ? [] : detected,
    ended,
    session,
    source,
    transcript:
      session === null || source !== 'compact'
        ? null
        : findTranscript(context.config, session, context.root),
    clientPlan:
      session === null
        ? undefined
        : context.registry.entry(session)?.plan?.path,
    isAttended: context.environment['CLAUDE_CODE_SESSION_ATTENDED'] !== '0',
  };
  const restore = (): Restoration => {
    if (named === null) return chooseRestoration(decideRun(request), request);
    const run = runs.find(({ runId }) => runId === named.runId) ?? named;
    return isActive(run) && !isArchived(run)
      ? { kind: 'full', run, reason: { rule: 'named' } }
      : { kind: 'nothing', why: describeStopped(run) };
  };
  return renderRestoration(withContextActionDone(restore(), request), request);
}

/** What a text costs in the context of a session. */
interface Cost {
  characters: number;
  tokens: number;
}

/** Why a session gets this and nothing else, and what it costs. */
export interface Explanation extends Cost {
  run_id: string | null;
  kind: Restoration['kind'];
  why: string;
  sections: (Cost & {
    name: string;
    cut: Guidance['sections'][number]['cut'];
  })[];
  left_out: string[];
}

export function explain(restoration: RenderedRestoration): Explanation {
  const { choice, text, guidance } = restoration;
  const sections = guidance?.sections ?? [];
  return {
    run_id: 'run' in choice ? choice.run.runId : null,
    kind: choice.kind,
    why: describeRestoration(choice),
    ...costOf(text ?? ''),
    sections: sections.map(({ name, text: content, cut }) => ({
      name,
      ...costOf(content),
      cut,
    })),
    left_out: guidance === null ? [] : leftOutOf(guidance),
  };
}

/** The usual rule of thumb for English and code. */
const CHARACTERS_PER_TOKEN = 4;

function costOf({ length }: string): Cost {
  const tokens = Math.ceil(length / CHARACTERS_PER_TOKEN);
  return { characters: length, tokens };
}

/** Why a session gets this and nothing else, as a clause for `guidance --explain` and `status`. */
function describeRestoration(choice: Restoration): string {
  switch (choice.kind) {
    case 'nothing':
      return choice.why;
    case 'offer':
      return 'this session holds no run, so the active ones are listed';
    case 'candidates':
      return 'nothing shows which of these runs this session works on, so they are listed and none is taken';
    case 'frame':
      return `${describeReason(choice.reason)}, and its context was cleared for another reason`;
    case 'short':
      return `${describeReason(choice.reason)}, and it still has its conversation`;
    default:
      return describeReason(choice.reason);
  }
}

function describeReason(reason: RestorationReason): string {
  if (reason.rule === 'evidence')
    return `this session ${describeEvidence(reason.evidence)}`;
  if (reason.rule === 'unclaimed')
    return reason.isOnly
      ? 'it is the only run of its kind that no session ever held'
      : 'it is the newest of several state files that no session ever held, and there is no transcript to decide by';
  return {
    held: 'this session holds it',
    handed_over: 'the session before the /clear held it',
    held_last: 'this session held it last',
    startup:
      'it is the only run that no session holds, and new sessions take such a run at once',
    named: 'it was named',
  }[reason.rule];
}

const MAX_SUBJECT = 200;

function describeEvidence({ did, subject }: Evidence): string {
  const what = asWord(subject, MAX_SUBJECT);
  return {
    wrote: `wrote ${what}`,
    ran: `ran ${what} on it`,
    read: `read ${what}`,
    named: `named ${what} in a command`,
  }[did];
}

/** Why a run that was asked for and is paused or over is not restored. */
function describeStopped(run: Run): string {
  const { runId, state } = run;
  const status = isArchived(run) ? 'archived' : (state.status ?? 'in_progress');
  return `${status} runs are never restored; ${wayOn(status, runId)}`;
}

function wayOn(status: string, runId: string): string {
  switch (status) {
    case 'archived':
      return `\`holdfast reopen ${runId}\` brings this one back`;
    case 'paused':
    case 'failed':
      return `\`holdfast resume ${runId}\` continues this one`;
    default:
      return `\`holdfast complete ${runId}\` archives this one`;
  }
}
