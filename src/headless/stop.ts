import { formatDuration, pluralize } from '../text/relative-time.ts';
import { sanitizeLine, truncate } from '../text/sanitize.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { unreachable } from '../text/unreachable.ts';
import type { RunOptions } from './context.ts';
import type { Stopped } from './event-types.generated.ts';
import { permissionAdvice } from './permission-advice.ts';
import type { PermissionDenial } from './stream.ts';

/** Why a run cannot be driven on, although it is neither complete nor failed. */
export type RunLoss =
  /** `label` is the step that it was at; `session` typed `holdfast complete`: null for a terminal, undefined if unknown. */
  | { reason: 'ended'; label: string; session: string | null | undefined }
  | { reason: 'cancelled'; why: string }
  | { reason: 'gone'; path: string | null }
  | { reason: 'taken'; session: string };

/** Why the driver stops, as data. */
export type Stop =
  | { reason: 'done' | 'step' | 'blocked' | 'paused' | 'waiting' | 'no_progress' | 'interrupted' }
  | { reason: 'budget' | 'time' | 'step_time' | 'log' }
  | { reason: 'approval'; canReject: boolean }
  | { reason: 'tasks'; loop: string }
  | { reason: 'failed'; why: string }
  /** `label` is the step that the run is at, `why` the last failure of it. */
  | { reason: 'limit'; limit: 'retries' | 'pivots'; allowed: number; label: string; why: string }
  | { reason: 'permission'; denials: PermissionDenial[] }
  | { reason: 'authentication'; status: number | null; words: string }
  /** `tries` counts the requests in a row that have failed. */
  | { reason: 'api'; status: number | null; words: string; tries: number }
  | { reason: 'client'; words: string }
  | { reason: 'usage_limit'; resetsAt: number | null; words: string }
  | RunLoss
  | { reason: 'refused'; message: string; hint: string };

/** The reason by which programs tell stops apart. */
export type StopReason = Stopped['reason'];

export function stopReason({ reason }: Stop): StopReason {
  return reason === 'refused' ? 'failed' : reason;
}

const EXIT_CODES: Partial<Record<StopReason, number>> = {
  done: 0,
  step: 0,
  approval: 3,
  tasks: 3,
  budget: 4,
  time: 4,
  step_time: 4,
  interrupted: 130,
};

export function exitCodeOf(stop: Stop): number {
  return EXIT_CODES[stopReason(stop)] ?? 1;
}

/** What a stop is described with. */
export interface StopPlace {
  runId: string;
  /** The command that continues the run. */
  next: string;
  options: Pick<RunOptions, 'maxCost' | 'maxTime' | 'stepTime' | 'allow'>;
  log: { folder: string; problem: string | null };
}

/** What has happened, and what to do next; nothing if the run is complete. */
export function describeStop(
  stop: Stop,
  { runId, next, options, log }: StopPlace,
): [message: string, hint: string] {
  const go = `\`${next}\` continues the run`;
  const because = 'why' in stop && stop.why !== '' ? `: ${oneLine(stop.why)}` : '';
  const label = 'label' in stop ? sanitizeLine(stop.label) : '';
  const session = 'session' in stop ? sanitizeLine(stop.session ?? '') : '';
  switch (stop.reason) {
    case 'done':
      return ['the run is complete', ''];
    case 'step':
      return ['the step is finished', go];
    case 'approval':
      return [
        'the run waits for your approval',
        stop.canReject
          ? `\`holdfast approve ${runId}\` or \`holdfast reject ${runId} --feedback "…"\`, then ${go}`
          : `it was sent back as often as its template allows; \`holdfast approve ${runId}\`, then ${go}; \`holdfast complete ${runId}\` ends it`,
      ];
    case 'tasks':
      return [
        `the loop ${sanitizeLine(stop.loop)} waits for its tasks`,
        `\`holdfast tasks ${shellQuote(stop.loop)} --run ${runId} --file -\` reads them, one a line, until Ctrl-D; then ${go}`,
      ];
    case 'blocked':
      return ['the run is blocked', `\`holdfast status ${runId}\` says why`];
    case 'limit':
      return stop.limit === 'retries'
        ? [
            `${label} has used up its ${stop.allowed} ${stop.allowed === 1 ? 'retry' : 'retries'}${because}`,
            `correct the cause; \`holdfast resume ${runId}\` gives the step new retries, then ${go}`,
          ]
        : [
            `the run has used up its ${pluralize(stop.allowed, 'pivot')}, and ${label} wants another one`,
            `\`holdfast history ${runId}\` has the feedback; \`holdfast update ${runId} --status in_progress\` lets the run go on at this step, then ${go}`,
          ];
    case 'paused':
      return ['the run was paused', `\`holdfast resume ${runId}\` lets it go on, then ${go}`];
    case 'waiting':
      return ['the run waits', `\`holdfast status ${runId}\` says for what`];
    case 'failed':
      return [
        `the run has failed${because}`,
        `correct the cause; \`holdfast resume ${runId}\` lets it go on at this step, then ${go}`,
      ];
    case 'budget':
      return [
        `the budget of $${options.maxCost ?? 0} is used up`,
        `\`${next} --max-cost <usd>\` goes on with another one`,
      ];
    case 'time':
      return [`the time of ${formatDuration(options.maxTime ?? 0)} is used up`, go];
    case 'step_time':
      return [
        `the step took longer than ${formatDuration(options.stepTime ?? 0)} and was interrupted`,
        `\`${next} --step-time <duration>\` gives it more time`,
      ];
    case 'no_progress':
      return [
        'three turns in a row have changed neither the files nor the run',
        `look at the log, change the step or its gate, then ${go}`,
      ];
    case 'permission': {
      const { tools, advice } = permissionAdvice(stop.denials, options.allow, next);
      return [`Claude Code was not permitted to use ${tools}`, advice];
    }
    case 'authentication':
      return [
        `${stop.status === 403 ? 'your account or key may not use this API or model' : `Claude Code is not logged in${stop.status === 401 ? ', or its key is not accepted' : ''}`}: ${oneLine(stop.words)}`,
        `${stop.status === 403 ? 'check the rights of the account or key, or choose another model with --model' : 'log in with `claude` and /login, or correct ANTHROPIC_API_KEY'}; then ${go}`,
      ];
    case 'usage_limit': {
      const until = stop.resetsAt === null ? '' : ` until ${new Date(stop.resetsAt).toISOString()}`;
      return [
        `your usage limit is reached${until}: ${oneLine(stop.words)}`,
        `${go} later; with --wait-limits it waits by itself`,
      ];
    }
    case 'api': {
      const [what, advice] = describeApiTrouble(stop.status);
      const often = stop.tries > 1 ? `, ${stop.tries} times in a row` : '';
      const words = stop.words === '' ? '' : `: ${oneLine(stop.words)}`;
      return [`${what}${often}${words}`, `${advice}; then ${go}`];
    }
    case 'client':
      return [
        oneLine(stop.words),
        `look at the end of the log, and whether \`claude\` starts by itself; then ${go}`,
      ];
    case 'log':
      return [
        `the log in ${log.folder} cannot be written (${log.problem})`,
        `free some space or correct its permissions, then ${go}`,
      ];
    case 'ended': {
      const where = stop.session === null ? 'a terminal' : `the session ${session}`;
      const by = stop.session === undefined ? '' : ` by \`holdfast complete\` in ${where}`;
      return [
        `the run was ended at ${label}${by}`,
        `\`holdfast reopen ${runId}\` brings it back, then ${go}`,
      ];
    }
    case 'cancelled':
      return [
        `the run was cancelled${because}`,
        `\`holdfast reopen ${runId}\` brings it back at this step, then ${go}`,
      ];
    case 'gone':
      return [
        'the state file of the run is gone',
        `bring back ${stop.path ?? 'its state file'} from a copy, then ${go}; without a copy, start another run with \`holdfast run --template <template>\``,
      ];
    case 'taken':
      return [
        `the session ${session} has taken the run`,
        `it goes on there; once ${session} has ended, or let go of it with \`holdfast release ${runId}\`, ${go}`,
      ];
    case 'interrupted':
      return ['interrupted; the step is not finished', go];
    case 'refused':
      return [stop.message, `${stop.hint}; then ${go}`];
    default:
      return unreachable(stop);
  }
}

/** What happened to a request and what the user can do; the client's own words say the rest. */
function describeApiTrouble(status: number | null): [what: string, advice: string] {
  if (status === null)
    return [
      'the API cannot be reached',
      'check your network and proxy, and ANTHROPIC_BASE_URL if it is set',
    ];
  if (status === 429 || status >= 500)
    return [
      status === 429 ? 'the API limits how many requests you send' : 'the API is failing',
      'wait some minutes; https://status.claude.com shows whether it lasts',
    ];
  if (status === 404)
    return [
      'the model does not exist, or your account may not use it',
      'choose another one with --model',
    ];
  if (status === 413)
    return [
      'the conversation is too large for a request',
      'give the step `context: clear` or `context: compact`, or let it read less at a time',
    ];
  return ['the API refused the request', 'correct what it says'];
}

const MAX_WORDS = 300;

function oneLine(text: string): string {
  return truncate(sanitizeLine(text), MAX_WORDS);
}
