import { isObject } from '../text/json.ts';
import { unreachable } from '../text/unreachable.ts';
import { failedRequest, loginStop, saysNotLoggedIn } from './failed-request.ts';
import { permissionAdvice } from './permission-advice.ts';
import type { RunOptions } from './setup.ts';
import { clientStop, INTERRUPTED, limitStop, type Stop } from './stop.ts';
import type { TurnResult } from './stream.ts';
import type { Trouble, TurnEnd, TurnEvidence, Verdict } from './turn.ts';

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
  /** The command that continues the run. */
  next: string;
}

/**
 * What the run says counts first, then what the client reported, never a word of the agent's text. A client that fails
 * after the agent has moved the run has done its work.
 */
export function judgeTurn(turn: JudgedTurn): Verdict {
  if (turn.loss !== null) return stopBecause(turn.loss);

  const isOver = turn.after === null;
  if (isOver || turn.after !== turn.before) return { kind: 'moved' };
  if (turn.isMoveRequested) return { kind: 'requested' };

  const { end } = turn.evidence;
  return end.kind === 'result'
    ? judgeResult(turn)
    : judgeTurnWithoutResult(end, turn);
}

function stopBecause(stop: Stop): Verdict {
  return { kind: 'stop', stop };
}

/** The turn did not come to a result of the client, and the run has not moved. */
function judgeTurnWithoutResult(
  end: Exclude<TurnEnd, { kind: 'result' }>,
  { evidence, options }: JudgedTurn,
): Verdict {
  switch (end.kind) {
    case 'of_no_use':
      return tryAgain('crash', 'the run or its log was away for a moment');
    case 'interrupted':
      return stopBecause(INTERRUPTED);
    case 'used_up':
      return stopBecause(limitStop(end.limit, options));
    case 'silent': {
      const words = `nothing came from Claude Code for ${end.minutes} minutes`;
      return tryAgain('silence', words);
    }
    case 'not_started': {
      const words = `Claude Code did not start: ${end.reason}`;
      return stopBecause(clientStop(words));
    }
    case 'exited':
      // A client that ends may have said before why its request failed.
      return failedRequest(evidence) ?? judgeExit(end);
    default:
      return unreachable(end);
  }
}

function judgeExit(end: Extract<TurnEnd, { kind: 'exited' }>): Verdict {
  const { code, signal, words } = end;
  if (saysNotLoggedIn(words)) return stopBecause(loginStop(null, words));

  const how =
    signal === null ? `exited with ${code}` : `was ended by ${signal}`;
  const details = words === '' ? '' : `: ${words}`;
  return tryAgain('crash', `Claude Code ${how}${details}`);
}

function tryAgain(why: Trouble, words: string): Verdict {
  return { kind: 'try_again', why, words, status: null };
}

/** The client ended the turn with a result, and the run has not moved. */
function judgeResult(turn: JudgedTurn): Verdict {
  const { evidence, options } = turn;
  const { result } = evidence;
  if (result === undefined) return tryAgain('crash', 'no result');
  if (result.subtype === 'error_max_budget_usd')
    return stopBecause(limitStop('budget', options));

  const failure = failedRequest(evidence);
  if (failure !== null) return failure;

  const report = reportIn(result);
  if (report !== null) return report;

  if (result.denials.length > 0)
    return stopBecause(permissionStop(result, turn));
  if (!turn.wasAskedAgain) return { kind: 'ask_again' };
  return {
    kind: 'unfinished',
    reason: 'the agent ended its turn twice without finishing the step',
  };
}

/** Null without a report. One counts only in the form that was asked for. */
function reportIn({ structured }: TurnResult): Verdict | null {
  if (!isObject(structured)) return null;
  const { done, output, reason } = structured;
  if (typeof done !== 'boolean') return null;
  if (done)
    return {
      kind: 'reported',
      output: typeof output === 'string' ? output : null,
    };
  const why = typeof reason === 'string' ? reason.trim() : '';
  return {
    kind: 'gave_up',
    reason: why === '' ? 'the agent reported that it is not finished' : why,
  };
}

/** In print mode the client asks nobody, so what was denied would be denied again. */
function permissionStop(result: TurnResult, turn: JudgedTurn): Stop {
  const { tools, advice } = permissionAdvice(
    result.denials,
    turn.options.allow,
    turn.next,
  );
  const message = `Claude Code was not permitted to use ${tools}`;
  return { reason: 'permission', message, hint: advice };
}
