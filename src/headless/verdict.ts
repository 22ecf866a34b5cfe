import { isObject } from '../text/json.ts';
import { decidePermission } from '../sessions/permission.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { shellQuote } from '../text/shell-commands.ts';
import type { Retry } from './event-types.generated.ts';
import type { RunOptions } from './setup.ts';
import {
  apiStop,
  clientStop,
  INTERRUPTED,
  limitStop,
  oneLine,
  type Stop,
} from './step.ts';
import type { StreamMessage, TurnResult } from './stream.ts';

/** What went wrong outside of the agent's work. */
export type Trouble = Retry['why'];

/** How a turn came to its end. */
export type TurnEnd =
  | { kind: 'result' }
  | {
      kind: 'exited';
      code: number | null;
      signal: string | null;
      words: string;
    }
  | { kind: 'not_started'; reason: string }
  /** `--step-time` or `--max-time` was used up, or `--max-cost`. */
  | { kind: 'used_up'; limit: 'step_time' | 'time' | 'budget' }
  | { kind: 'silent'; minutes: number }
  /** The run was ended, belongs to somebody else, or its log can no longer be written. */
  | { kind: 'of_no_use' }
  | { kind: 'interrupted' };

/** What is known about a turn: the last message of each kind in the client's stream, and its end. */
export type TurnEvidence = { end: TurnEnd } & {
  [Kind in StreamMessage['kind']]?: Extract<StreamMessage, { kind: Kind }>;
};

/** What a turn means for its step. */
export type Verdict =
  /** The agent moved the run, or ended it. */
  | { kind: 'moved' }
  /** The agent asked for the move of a step with a gate. */
  | { kind: 'requested' }
  /** A structured report says that the step is done. */
  | { kind: 'reported'; output: string | null }
  /** A structured report says that it cannot be done, or the agent was asked once more: the step has failed. */
  | { kind: 'gave_up' | 'unfinished'; reason: string }
  /** The turn ended with neither: the agent is asked once more. */
  | { kind: 'ask_again' }
  /** Not the agent's fault: the turn is repeated after a while. */
  | { kind: 'try_again'; why: Trouble; words: string; status: number | null }
  /** `resetsAt` is that of a usage limit; null if the client did not say. */
  | { kind: 'stop'; stop: Stop; resetsAt?: number | null };

export interface JudgedTurn {
  /** Positions of the run; null if it is over. */
  before: string | null;
  after: string | null;
  isMoveRequested: boolean;
  /** Why the run cannot be driven on; null if it can. */
  loss: Stop | null;
  evidence: TurnEvidence;
  /** This turn was the answer to being asked once more. */
  wasAskedAgain: boolean;
  options: Pick<RunOptions, 'maxCost' | 'maxTime' | 'stepTime' | 'allow'>;
  next: string;
}

/** First what the run says, then the report, never other words. A client that fails after a move has done its work. */
export function judgeTurn(turn: JudgedTurn): Verdict {
  const { before, after, loss, evidence, options } = turn;
  if (loss !== null) return stop(loss);
  if (after === null || after !== before) return { kind: 'moved' };
  if (turn.isMoveRequested) return { kind: 'requested' };
  const { end, result } = evidence;
  switch (end.kind) {
    case 'of_no_use':
      return tryAgain('crash', 'the run or its log was away for a moment');
    case 'interrupted':
      return stop(INTERRUPTED);
    case 'used_up':
      return stop(limitStop(end.limit, options));
    case 'silent':
      return tryAgain(
        'silence',
        `nothing came from Claude Code for ${end.minutes} minutes`,
      );
    case 'not_started':
      return stop(clientStop(`Claude Code did not start: ${end.reason}`));
    case 'exited':
      return failedRequest(evidence) ?? exited(end);
    case 'result':
      break;
  }
  if (result === undefined) return tryAgain('crash', 'no result');
  if (result.subtype === 'error_max_budget_usd')
    return stop(limitStop('budget', options));
  const decided = failedRequest(evidence) ?? reportOf(result);
  if (decided !== null) return decided;
  if (result.denials.length > 0) {
    const { tools, advice } = permissionAdvice(
      result.denials,
      options.allow,
      turn.next,
    );
    const message = `Claude Code was not permitted to use ${tools}`;
    return stop({ reason: 'permission', message, hint: advice });
  }
  const reason = 'the agent ended its turn twice without finishing the step';
  return turn.wasAskedAgain
    ? { kind: 'unfinished', reason }
    : { kind: 'ask_again' };
}

const stop = (reason: Stop): Verdict => ({ kind: 'stop', stop: reason });

function tryAgain(
  why: Trouble,
  words: string,
  status: number | null = null,
): Verdict {
  return { kind: 'try_again', why, words, status };
}

const NOT_LOGGED_IN =
  /not logged in|please run \/login|invalid api key|failed to authenticate/i;
/** As the client words it when the plan of the user is used up; some versions put the time of the reset behind a bar. */
const USAGE_LIMIT =
  /usage limit reached|hit your [\w\s-]{0,20}limit|limit reached\b.*\breset/i;
const RETRIED_STATUS = new Set([
  408, 409, 500, 502, 503, 504, 520, 522, 524, 529,
]);

function exited({
  code,
  signal,
  words,
}: Extract<TurnEnd, { kind: 'exited' }>): Verdict {
  if (NOT_LOGGED_IN.test(words)) return stop(loginStop(null, words));
  const how =
    signal === null ? `exited with ${code}` : `was ended by ${signal}`;
  return tryAgain(
    'crash',
    `Claude Code ${how}${words === '' ? '' : `: ${words}`}`,
  );
}

/** Null if the request did not fail. */
function failedRequest(evidence: TurnEvidence): Verdict | null {
  const { result, api_error: apiError, usage_limit: limit } = evidence;
  if (result === undefined ? apiError === undefined : !result.isError)
    return null;
  const words = result?.text || (apiError?.text ?? '');
  const status = result?.apiStatus ?? null;
  const error = apiError?.error ?? '';
  const isLogin =
    status === 401 || status === 403 || error === 'authentication_failed';
  if (isLogin || NOT_LOGGED_IN.test(words))
    return stop(loginStop(status, words));
  if (limit !== undefined || USAGE_LIMIT.test(words)) {
    const [, seconds] = /\|(\d{10})\b/.exec(words) ?? [];
    const resetsAt =
      limit?.resetsAt ??
      (seconds === undefined ? null : Number(seconds) * 1000);
    const until =
      resetsAt === null ? '' : ` until ${new Date(resetsAt).toISOString()}`;
    const message = `your usage limit is reached${until}: ${oneLine(words)}`;
    const advice = 'wait for its reset, which --wait-limits does by itself';
    return {
      kind: 'stop',
      stop: { reason: 'usage_limit', message, advice },
      resetsAt,
    };
  }
  if (status === 429 || error === 'rate_limit')
    return tryAgain('rate_limit', words, status ?? 429);
  if (status === 529 || error === 'overloaded')
    return tryAgain('overloaded', words, status ?? 529);
  if (status === null || RETRIED_STATUS.has(status))
    return tryAgain('connection', words, status);
  return stop(apiStop(status, words, 1));
}

function loginStop(status: number | null, words: string): Stop {
  const key = status === 401 ? ', or its key is not accepted' : '';
  const [what, advice] =
    status === 403
      ? [
          'your account or key may not use this API or model',
          'check the rights of the account or key, or choose another model with --model',
        ]
      : [
          `Claude Code is not logged in${key}`,
          'log in with `claude` and /login, or correct ANTHROPIC_API_KEY',
        ];
  return {
    reason: 'authentication',
    message: `${what}: ${oneLine(words)}`,
    advice,
  };
}

/** A report counts only in the form that was asked for. */
function reportOf({ structured }: TurnResult): Verdict | null {
  if (!isObject(structured) || typeof structured['done'] !== 'boolean')
    return null;
  const { done, output, reason } = structured;
  if (done)
    return {
      kind: 'reported',
      output: typeof output === 'string' ? output : null,
    };
  const why = typeof reason === 'string' ? reason.trim() : '';
  return {
    kind: 'gave_up',
    reason: why || 'the agent reported that it is not finished',
  };
}

const EVERY_COMMAND = 'Bash';
const MAX_DENIALS = 3;

/** What was denied and what to do. `allowed`: the rules of the client; `next`: the command that continues the run. */
export function permissionAdvice(
  denials: TurnResult['denials'],
  allowed: readonly string[],
  next: string,
): { tools: string; advice: string } {
  const denied = new Set<string>();
  const missing = new Set<string>();
  const forPeople = new Set<string>();
  const forbidden = new Set<string>();
  for (const { tool, input } of denials) {
    const command = tool === EVERY_COMMAND ? input['command'] : null;
    if (typeof command === 'string' && decidePermission(command) === 'ask') {
      const [call = 'holdfast'] = /holdfast(?: [a-z]+)?/.exec(command) ?? [];
      const [option = ''] =
        / --(?:session|cwd|force|purge|fix)\b/.exec(command) ?? [];
      denied.add(`Bash(${call}${option})`);
      forPeople.add(`\`${call}${option}\``);
      continue;
    }
    const rules = typeof command === 'string' ? rulesFor(command) : [tool];
    // If all are allowed, something about the command is beyond them: a redirection, a folder outside the project.
    const wanted = [
      ...rules,
      ...(rules.every((rule) => allowed.includes(rule)) ? [tool] : []),
    ];
    const added = wanted.filter((rule) => !allowed.includes(rule));
    for (const rule of rules) denied.add(sanitizeLine(rule));
    for (const rule of added) missing.add(rule);
    if (added.length === 0)
      for (const rule of rules) forbidden.add(sanitizeLine(rule));
  }
  const flags = [...missing]
    .map((rule) => `--allow ${shellQuote(rule)}`)
    .join(' ');
  const advice = [
    forPeople.size > 0 &&
      `${[...forPeople].join(' and ')} is for people: decide on it in a terminal, no flag permits it to an agent`,
    forbidden.size > 0 &&
      `${[...forbidden].join(', ')} is allowed already, so a \`deny\` or \`ask\` rule in your settings of Claude Code forbids it`,
    flags === ''
      ? `then \`${next}\` continues the run`
      : `\`${next} ${flags}\` permits it`,
    missing.has(EVERY_COMMAND) &&
      '`--allow Bash` permits every command, so a step that asks for simpler ones is safer',
  ];
  const more =
    denied.size > MAX_DENIALS ? ` and ${denied.size - MAX_DENIALS} more` : '';
  return {
    tools: `${[...denied].slice(0, MAX_DENIALS).join(', ')}${more}`,
    advice: advice.filter((part) => part !== false).join('; '),
  };
}

/** What the client matches no rule for a single program with. `2>&1` is not among it. */
const BEYOND_RULES = /[<>`$()\\"']/;
const SEPARATORS = /&&|\|\||[;|&\n]/;
const PART =
  /^((?:[A-Za-z_]\w*=[\w./:@%+,-]* )*)([\w./-]+)(?: ([\w./:-]+))?(?= |$)/;
/** Words of the shell; `cd`, permitted for some folders only; programs that run others, whose rule would allow everything. */
const WITHOUT_RULE = new Set(
  'for while until if case do then function cd . source eval exec sh bash zsh dash env xargs sudo nohup time'.split(
    ' ',
  ),
);

/**
 * Rules in the client's own form: for each part of the command its program and the first word after it. A variable
 * before the program belongs to the rule. Where no such rule would match, only that for every command is left.
 */
function rulesFor(command: string): string[] {
  const plain = command
    .trim()
    .replaceAll(/'[^']*'|"[^"$`\\]*"/g, '_')
    .replaceAll(/\s2>&1(?=\s|$)/g, '');
  if (BEYOND_RULES.test(plain)) return [EVERY_COMMAND];
  const rules = new Set<string>();
  for (const part of plain.split(SEPARATORS)) {
    const [, variables = '', program = '', word = ''] =
      PART.exec(part.trim()) ?? [];
    if (program === '' || WITHOUT_RULE.has(program)) return [EVERY_COMMAND];
    rules.add(
      `Bash(${variables}${program}${/^[a-z][\w:-]*$/i.test(word) ? ` ${word}` : ''}:*)`,
    );
  }
  return [...rules];
}
