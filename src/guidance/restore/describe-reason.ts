import type { Evidence } from '../../sessions/evidence.ts';
import { isArchived } from '../../state/paths.ts';
import type { StoredRun } from '../../state/types.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { unreachable } from '../../text/unreachable.ts';
import type { NothingReason, Restoration, RestorationReason } from './choose-restoration.ts';

/** Why a session gets this and nothing else, as a clause for `guidance --explain` and `status`. */
export function describeRestoration(choice: Restoration): string {
  switch (choice.kind) {
    case 'nothing':
      return describeNothing(choice.why);
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
  switch (reason.rule) {
    case 'held':
      return 'this session holds it';
    case 'handed_over':
      return 'the session before the /clear held it';
    case 'held_last':
      return 'this session held it last';
    case 'evidence':
      return `this session ${describeEvidence(reason.evidence)}`;
    case 'unclaimed':
      return reason.isOnly
        ? 'it is the only run of its kind that no session ever held'
        : 'it is the newest of several state files that no session ever held, and there is no transcript to decide by';
    case 'startup':
      return 'it is the only run that no session holds, and new sessions take such a run at once';
    case 'named':
      return 'it was named';
    default:
      return unreachable(reason);
  }
}

function describeEvidence({ did, subject }: Evidence): string {
  const what = sanitizeLine(subject);
  switch (did) {
    case 'wrote':
      return `wrote ${what}`;
    case 'ran':
      return `ran \`${what}\` on it`;
    case 'read':
      return `read ${what}`;
    case 'named':
      return `named ${what} in a command`;
    default:
      return unreachable(did);
  }
}

function describeNothing(why: NothingReason): string {
  if (typeof why === 'object') return describeStopped(why.stopped);
  switch (why) {
    case 'nothing_active':
      return 'nothing is in progress';
    case 'held_by_others':
      return 'other live sessions hold every active run';
    case 'released':
      return 'this session released the runs that it could get';
    case 'unattended':
      return 'nobody is there to answer in this session';
    case 'startup_off':
      return 'restore.startup is off';
    default:
      return unreachable(why);
  }
}

function describeStopped(run: StoredRun): string {
  const { runId, state } = run;
  const status = state.status ?? 'in_progress';
  if (isArchived(run))
    return `archived runs are never restored; \`holdfast reopen ${runId}\` brings this one back`;
  return status === 'paused' || status === 'failed'
    ? `${status} runs are never restored; \`holdfast resume ${runId}\` continues this one`
    : `${status} runs are never restored; \`holdfast complete ${runId}\` archives this one`;
}
