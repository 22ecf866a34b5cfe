import { describe, expect, it } from 'vitest';
import type { TurnResult } from '../../../src/headless/stream.ts';
import {
  judgeTurn,
  NO_EVIDENCE,
  type JudgedTurn,
  type TurnEvidence,
} from '../../../src/headless/verdict.ts';

const result = (fields: Partial<TurnResult> = {}): TurnResult => ({
  subtype: 'success',
  isError: false,
  apiStatus: null,
  text: 'All done! The step is finished. holdfast advance',
  turns: 1,
  totalCost: 0,
  turnCost: null,
  usage: { input: 0, output: 0 },
  contextWindow: null,
  structured: undefined,
  denials: [],
  ...fields,
});

const evidence = (fields: Partial<TurnEvidence> = {}): TurnEvidence => ({
  ...NO_EVIDENCE,
  result: result(),
  end: { kind: 'result' },
  ...fields,
});

const judge = (fields: Partial<JudgedTurn> = {}) =>
  judgeTurn({
    before: 'run/step=plan',
    after: { position: 'run/step=plan', isMoveRequested: false },
    loss: null,
    evidence: evidence(),
    wasAskedAgain: false,
    ...fields,
  });

const failing = (apiStatus: number | null, text: string, fields: Partial<TurnEvidence> = {}) =>
  judge({ evidence: evidence({ result: result({ isError: true, apiStatus, text }), ...fields }) });

describe('the verdict of a turn', () => {
  it('is what the run says, whatever the client reports', () => {
    const moved = { position: 'run/step=ship', isMoveRequested: false };
    const ends: TurnEvidence['end'][] = [
      { kind: 'result' },
      { kind: 'exited', code: 1, signal: null, words: '' },
      { kind: 'exited', code: null, signal: 'SIGKILL', words: '' },
      { kind: 'interrupted' },
      { kind: 'out_of_time', limit: 'step_time' },
      { kind: 'silent', minutes: 20 },
    ];
    for (const end of ends) {
      expect(judge({ after: moved, evidence: evidence({ end, result: null }) })).toEqual({
        kind: 'moved',
      });
      const requested = { position: 'run/step=plan', isMoveRequested: true };
      expect(judge({ after: requested, evidence: evidence({ end, result: null }) })).toEqual({
        kind: 'requested',
      });
    }
    expect(judge({ after: { position: null, isMoveRequested: false } })).toEqual({ kind: 'moved' });
  });

  it('never comes from the text: such a turn is asked once more, then the step has failed', () => {
    expect(judge()).toEqual({ kind: 'ask_again' });
    expect(judge({ wasAskedAgain: true })).toEqual({ kind: 'unfinished' });
  });

  it('takes a report only in the form that was asked for', () => {
    const reported = (structured: unknown) =>
      judge({ evidence: evidence({ result: result({ structured }) }) });
    expect(reported({ done: true, output: 'x' })).toEqual({ kind: 'reported', output: 'x' });
    expect(reported({ done: true })).toEqual({ kind: 'reported', output: null });
    expect(reported({ done: false, reason: ' stuck ' })).toEqual({
      kind: 'gave_up',
      reason: 'stuck',
    });
    for (const odd of ['done', { done: 'yes' }, { status: 'done' }, null, [], undefined])
      expect(reported(odd)).toEqual({ kind: 'ask_again' });
  });

  it.each([
    [529, 'overloaded'],
    [429, 'rate_limit'],
    [500, 'connection'],
    [502, 'connection'],
    [null, 'connection'],
  ])('an API error %s is tried again (%s)', (status, why) => {
    expect(failing(status, 'API Error')).toEqual({
      kind: 'try_again',
      why,
      words: 'API Error',
      status,
    });
  });

  it.each([401, 403])('an API error %s is a matter of the login', (status) => {
    expect(failing(status, 'no')).toEqual({
      kind: 'stop',
      stop: { reason: 'authentication', status, words: 'no' },
    });
  });

  it('knows a client that is not logged in by its words', () => {
    const words = 'Not logged in · Please run /login';
    const stop = { kind: 'stop', stop: { reason: 'authentication', status: null, words } };
    expect(failing(null, words)).toEqual(stop);
    const end = { kind: 'exited', code: 1, signal: null, words } as const;
    expect(judge({ evidence: evidence({ result: null, end }) })).toEqual(stop);
  });

  it('an API error that repeating cannot mend stops', () => {
    expect(failing(400, 'bad request')).toEqual({
      kind: 'stop',
      stop: { reason: 'api', status: 400, words: 'bad request', tries: 1 },
    });
  });

  it.each([
    ['Claude AI usage limit reached|1900000000', 1_900_000_000_000],
    ["You've hit your session limit · resets 3pm", null],
  ])('a usage limit is not a rate limit: %s', (words, resetsAt) => {
    const stop = { kind: 'stop', stop: { reason: 'usage_limit', resetsAt, words } };
    expect(failing(429, words)).toEqual(stop);
    expect(failing(null, words)).toEqual(stop);
  });

  it('a usage limit in the stream has its reset', () => {
    expect(failing(429, 'x', { usageLimit: { resetsAt: 5 } })).toMatchObject({
      stop: { resetsAt: 5 },
    });
  });

  it('a denied tool stops a turn that has moved nothing', () => {
    const denials = [{ tool: 'Write', input: {} }];
    expect(judge({ evidence: evidence({ result: result({ denials }) }) })).toEqual({
      kind: 'stop',
      stop: { reason: 'permission', denials },
    });
  });

  it.each([
    [{ kind: 'interrupted' }, { reason: 'interrupted' }],
    [{ kind: 'out_of_time', limit: 'step_time' }, { reason: 'step_time' }],
    [{ kind: 'out_of_time', limit: 'time' }, { reason: 'time' }],
  ] as const)('%j stops', (end, stop) => {
    expect(judge({ evidence: evidence({ end, result: null }) })).toEqual({ kind: 'stop', stop });
  });

  it('a client that ends without a result, or falls silent, is started again', () => {
    const end = { kind: 'exited', code: 0, signal: null, words: '' } as const;
    expect(judge({ evidence: evidence({ end, result: null }) })).toMatchObject({ why: 'crash' });
    const silent = { kind: 'silent', minutes: 20 } as const;
    expect(judge({ evidence: evidence({ end: silent }) })).toMatchObject({ why: 'silence' });
  });

  it('the budget of the client stops, and too many turns ask again', () => {
    const of = (subtype: string) => judge({ evidence: evidence({ result: result({ subtype }) }) });
    expect(of('error_max_budget_usd')).toEqual({ kind: 'stop', stop: { reason: 'budget' } });
    expect(of('error_max_turns')).toEqual({ kind: 'ask_again' });
  });
});
