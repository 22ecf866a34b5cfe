import { unreachable } from '../../util/unreachable.ts';
import { pluralize } from '../../util/relative-time.ts';
import { sanitizeLine, truncate } from '../../util/sanitize.ts';
import type { PermissionDenial } from '../client/stream-message.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { apiTrouble, describeApiTrouble } from '../turn/api-trouble.ts';
import type { StopReason } from '../events.ts';
import type { RunEnd, RunLoss } from '../step/run-loss.ts';
import { formatDuration } from '../limits/limits.ts';
import { permissionAdvice, type PermissionAdvice } from './permission-advice.ts';

/** Why the driver stops, as data. */
export type Stop =
  | { reason: 'done' | 'step' | 'blocked' | 'paused' | 'waiting' }
  | { reason: 'approval'; canReject: boolean }
  | { reason: 'tasks'; loop: string }
  | { reason: 'failed'; why: string }
  /** `label` is the step that the run is at, `why` the last failure of it. */
  | { reason: 'limit'; limit: 'retries' | 'pivots'; allowed: number; label: string; why: string }
  | { reason: 'budget'; costUsd: number }
  | { reason: 'time'; limitMs: number }
  | { reason: 'step_time'; limitMs: number }
  | { reason: 'no_progress' | 'interrupted' }
  /** `allowed` are the rules that the client was started with. */
  | { reason: 'permission'; denials: PermissionDenial[]; allowed: readonly string[] }
  | { reason: 'authentication'; status: number | null; words: string }
  /** `tries` counts the requests in a row that have failed. */
  | { reason: 'api'; status: number | null; words: string; tries: number }
  | { reason: 'client'; words: string }
  | { reason: 'usage_limit'; resetsAt: number | null; words: string }
  | { reason: 'log'; folder: string; problem: string }
  | RunLoss
  | { reason: 'refused'; message: string; hint: string };

/** The reason by which programs tell stops apart. */
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

export interface StopText {
  message: string;
  /** What to do next; empty where there is nothing to do. */
  hint: string;
}

/** `next` is the command that continues the run. */
export function describeStop(stop: Stop, runId: string, next: string): StopText {
  const go = `\`${next}\` continues the run`;
  switch (stop.reason) {
    case 'done':
      return { message: 'the run is complete', hint: '' };
    case 'step':
      return { message: 'the step is finished', hint: go };
    case 'approval':
      return {
        message: 'the run waits for your approval',
        hint: stop.canReject
          ? `\`holdfast approve ${runId}\` or \`holdfast reject ${runId} --feedback "…"\`, then ${go}`
          : `it was sent back as often as its template allows; \`holdfast approve ${runId}\`, then ${go}; \`holdfast complete ${runId}\` ends it`,
      };
    case 'tasks':
      return {
        message: `the loop ${sanitizeLine(stop.loop)} waits for its tasks`,
        hint: `\`holdfast tasks ${shellQuote(stop.loop)} --run ${runId} --file -\` reads them, one a line, until Ctrl-D; then ${go}`,
      };
    case 'blocked':
      return { message: 'the run is blocked', hint: `\`holdfast status ${runId}\` says why` };
    case 'limit':
      return stop.limit === 'retries'
        ? {
            message: `${sanitizeLine(stop.label)} has used up its ${stop.allowed} ${stop.allowed === 1 ? 'retry' : 'retries'}${stop.why === '' ? '' : `: ${oneLine(stop.why)}`}`,
            hint: `correct the cause; \`holdfast resume ${runId}\` gives the step new retries, then ${go}`,
          }
        : {
            message: `the run has used up its ${pluralize(stop.allowed, 'pivot')}, and ${sanitizeLine(stop.label)} wants another one`,
            hint: `\`holdfast history ${runId}\` has the feedback; \`holdfast update ${runId} --status in_progress\` lets the run go on at this step, then ${go}`,
          };
    case 'paused':
      return {
        message: 'the run was paused',
        hint: `\`holdfast resume ${runId}\` lets it go on, then ${go}`,
      };
    case 'waiting':
      return { message: 'the run waits', hint: `\`holdfast status ${runId}\` says for what` };
    case 'failed':
      return {
        message: `the run has failed${stop.why === '' ? '' : `: ${oneLine(stop.why)}`}`,
        hint: `correct the cause; \`holdfast resume ${runId}\` lets it go on at this step, then ${go}`,
      };
    case 'budget':
      return {
        message: `the budget of $${stop.costUsd} is used up`,
        hint: `\`${next} --max-cost <usd>\` goes on with another one`,
      };
    case 'time':
      return { message: `the time of ${formatDuration(stop.limitMs)} is used up`, hint: go };
    case 'step_time':
      return {
        message: `the step took longer than ${formatDuration(stop.limitMs)} and was interrupted`,
        hint: `\`${next} --step-time <duration>\` gives it more time`,
      };
    case 'no_progress':
      return {
        message: 'three turns in a row have changed neither the files nor the run',
        hint: `look at the log, change the step or its gate, then ${go}`,
      };
    case 'permission': {
      const advice = permissionAdvice(stop.denials, stop.allowed);
      return {
        message: `Claude Code was not permitted to use ${advice.tools}`,
        hint: permissionHint(advice, next),
      };
    }
    case 'authentication':
      return {
        message: `${refusedLogin(stop.status)}: ${oneLine(stop.words)}`,
        hint: `${loginAdvice(stop.status)}; then ${go}`,
      };
    case 'usage_limit': {
      const until = stop.resetsAt === null ? '' : ` until ${new Date(stop.resetsAt).toISOString()}`;
      return {
        message: `your usage limit is reached${until}: ${oneLine(stop.words)}`,
        hint: `${go} later; with --wait-limits it waits by itself`,
      };
    }
    case 'api': {
      const { message, advice } = describeApiTrouble(apiTrouble(stop.status, stop.words));
      const often = stop.tries > 1 ? `, ${stop.tries} times in a row` : '';
      return {
        message: `${message}${often}${stop.words === '' ? '' : `: ${oneLine(stop.words)}`}`,
        hint: `${advice}; then ${go}`,
      };
    }
    case 'client':
      return {
        message: oneLine(stop.words),
        hint: `look at the end of the log, and whether \`claude\` starts by itself; then ${go}`,
      };
    case 'log':
      return {
        message: `the log in ${stop.folder} cannot be written (${stop.problem})`,
        hint: `free some space or correct its permissions, then ${go}`,
      };
    case 'ended':
      return {
        message: `the run was ended at ${sanitizeLine(stop.label)}${endText(stop.by)}`,
        hint: `\`holdfast reopen ${runId}\` brings it back, then ${go}`,
      };
    case 'cancelled':
      return {
        message: `the run was cancelled${stop.why === '' ? '' : `: ${oneLine(stop.why)}`}`,
        hint: `\`holdfast reopen ${runId}\` brings it back at this step, then ${go}`,
      };
    case 'gone': {
      const file = stop.path ?? 'its state file';
      return {
        message: 'the state file of the run is gone',
        hint: `bring back ${file} from a copy, then ${go}; without a copy, start another run with \`holdfast run --template <template>\``,
      };
    }
    case 'taken':
      return {
        message: `the session ${sanitizeLine(stop.session)} has taken the run`,
        hint: `it goes on there; once ${sanitizeLine(stop.session)} has ended, or let go of it with \`holdfast release ${runId}\`, ${go}`,
      };
    case 'interrupted':
      return { message: 'interrupted; the step is not finished', hint: go };
    case 'refused':
      return { message: stop.message, hint: `${stop.hint}; then ${go}` };
    default:
      return unreachable(stop);
  }
}

function refusedLogin(status: number | null): string {
  if (status === 403) return 'your account or key may not use this API or model';
  if (status === 401) return 'Claude Code is not logged in, or its key is not accepted';
  return 'Claude Code is not logged in';
}

function loginAdvice(status: number | null): string {
  return status === 403
    ? 'check the rights of the account or key, or choose another model with --model'
    : 'log in with `claude` and /login, or correct ANTHROPIC_API_KEY';
}

function permissionHint(
  { flags, allowsEveryCommand, forPeople, allowedAlready }: PermissionAdvice,
  next: string,
): string {
  const commands = forPeople.map((command) => `\`${command}\``).join(' and ');
  return [
    ...(forPeople.length === 0
      ? []
      : [`${commands} is for people: decide on it in a terminal, no flag permits it to an agent`]),
    ...(allowedAlready.length === 0
      ? []
      : [
          `${allowedAlready.map(sanitizeLine).join(', ')} is allowed already, so a \`deny\` or \`ask\` rule in your settings of Claude Code forbids it`,
        ]),
    flags === ''
      ? `then \`${next}\` continues the run`
      : `\`${next} ${flags}\` permits it${allowsEveryCommand ? '; `--allow Bash` permits every command, so a step that asks for simpler ones is safer' : ''}`,
  ].join('; ');
}

function endText(by: RunEnd | null): string {
  if (by === null) return '';
  const where = by.session === null ? 'a terminal' : `the session ${sanitizeLine(by.session)}`;
  return ` by \`${by.command}\` in ${where}`;
}

const MAX_WORDS = 300;

function oneLine(text: string): string {
  return truncate(sanitizeLine(text), MAX_WORDS);
}
