import type { Evidence } from '../../sessions/evidence.ts';
import { isArchived } from '../../state/paths.ts';
import type { StoredRun } from '../../state/types.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { Restoration, RestorationReason } from './choose-restoration.ts';

/** Why a session gets this and nothing else, as a clause for `guidance --explain` and `status`. */
export function describeRestoration(choice: Restoration): string {
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
  if (reason.rule === 'evidence') return `this session ${describeEvidence(reason.evidence)}`;
  if (reason.rule === 'unclaimed')
    return reason.isOnly
      ? 'it is the only run of its kind that no session ever held'
      : 'it is the newest of several state files that no session ever held, and there is no transcript to decide by';
  return {
    held: 'this session holds it',
    handed_over: 'the session before the /clear held it',
    held_last: 'this session held it last',
    startup: 'it is the only run that no session holds, and new sessions take such a run at once',
    named: 'it was named',
  }[reason.rule];
}

function describeEvidence({ did, subject }: Evidence): string {
  const what = sanitizeLine(subject);
  return {
    wrote: `wrote ${what}`,
    ran: `ran \`${what}\` on it`,
    read: `read ${what}`,
    named: `named ${what} in a command`,
  }[did];
}

/** Why a run that was asked for and is paused or over is not restored. */
export function describeStopped(run: StoredRun): string {
  const { runId, state } = run;
  const status = isArchived(run) ? 'archived' : (state.status ?? 'in_progress');
  const next =
    status === 'archived'
      ? `\`holdfast reopen ${runId}\` brings this one back`
      : status === 'paused' || status === 'failed'
        ? `\`holdfast resume ${runId}\` continues this one`
        : `\`holdfast complete ${runId}\` archives this one`;
  return `${status} runs are never restored; ${next}`;
}
