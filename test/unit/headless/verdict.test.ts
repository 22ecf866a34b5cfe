import { describe, expect, it } from 'vitest';
import type { TurnResult } from '../../../src/headless/stream.ts';
import type { TurnEvidence } from '../../../src/headless/turn.ts';
import { judgeTurn, type JudgedTurn } from '../../../src/headless/verdict.ts';

const result = (fields: Partial<TurnResult> = {}): TurnResult => ({
  kind: 'result',
  subtype: 'success',
  isError: false,
  apiStatus: null,
  text: 'All done! The step is finished. holdfast advance',
  turns: 1,
  totalCost: 0,
  usage: { input: 0, output: 0 },
  contextWindow: null,
  structured: undefined,
  denials: [],
  ...fields,
});

const evidence = (fields: Partial<TurnEvidence> = {}): TurnEvidence => ({
  result: result(),
  end: { kind: 'result' },
  ...fields,
});

const judge = (fields: Partial<JudgedTurn> = {}) =>
  judgeTurn({
    before: 'run/step=plan',
    after: 'run/step=plan',
    isMoveRequested: false,
    loss: null,
    evidence: evidence(),
    wasAskedAgain: false,
    options: { maxCost: 2, maxTime: 1_000, stepTime: 1_000, allow: [] },
    next: 'RUN',
    ...fields,
  });

const failing = (
  apiStatus: number | null,
  text: string,
  fields: Partial<TurnEvidence> = {},
) =>
  judge({
    evidence: evidence({
      result: result({ isError: true, apiStatus, text }),
      ...fields,
    }),
  });

const ends: TurnEvidence['end'][] = [
  { kind: 'result' },
  { kind: 'exited', code: 1, signal: null, words: '' },
  { kind: 'interrupted' },
  { kind: 'used_up', limit: 'step_time' },
  { kind: 'silent', minutes: 20 },
];
const LOGIN = 'Not logged in · Please run /login';

describe('the verdict of a turn', () => {
  it.each(ends)('is what the run says, also after %j', (end) => {
    const to = (fields: Partial<JudgedTurn>) =>
      judge({ ...fields, evidence: { end } });
    expect(to({ after: 'run/step=ship' })).toEqual({ kind: 'moved' });
    expect(to({ after: null })).toEqual({ kind: 'moved' });
    expect(to({ isMoveRequested: true })).toEqual({ kind: 'requested' });
    const loss = { reason: 'gone', message: 'it is gone' } as const;
    expect(judge({ loss, evidence: evidence({ end }) })).toEqual({
      kind: 'stop',
      stop: loss,
    });
  });

  it('never comes from the text: such a turn is asked once more, then the step has failed', () => {
    expect(judge()).toEqual({ kind: 'ask_again' });
    expect(judge({ wasAskedAgain: true })).toMatchObject({
      kind: 'unfinished',
    });
  });

  it.each<[unknown, object]>([
    [
      { done: true, output: 'made' },
      { kind: 'reported', output: 'made' },
    ],
    [{ done: true }, { kind: 'reported', output: null }],
    [
      { done: false, reason: ' stuck ' },
      { kind: 'gave_up', reason: 'stuck' },
    ],
    ['done', { kind: 'ask_again' }],
    [{ status: 'done' }, { kind: 'ask_again' }],
  ])(
    'takes a report only in the form that was asked for: %j',
    (structured, verdict) => {
      expect(
        judge({ evidence: evidence({ result: result({ structured }) }) }),
      ).toEqual(verdict);
    },
  );

  it.each([
    [
      401,
      'no',
      'authentication',
      'its key is not accepted: no',
      '/login',
      undefined,
    ],
    [
      403,
      'no',
      'authentication',
      'may not use this API or model: no',
      '--model',
      undefined,
    ],
    [null, LOGIN, 'authentication', 'is not logged in', '/login', undefined],
    // Repeating cannot mend it.
    [
      400,
      'bad request',
      'api',
      'refused the request: bad request',
      'correct',
      undefined,
    ],
    [
      429,
      'usage limit reached|1900000000',
      'usage_limit',
      '2030-03-17',
      'wait',
      1_900_000_000_000,
    ],
    [
      null,
      "You've hit your session limit · resets 3pm",
      'usage_limit',
      'limit',
      'wait',
      null,
    ],
  ])(
    'an API error %s, "%s" stops',
    (status, words, reason, message, advice, resetsAt) => {
      const stop = {
        reason,
        message: expect.stringContaining(message),
        advice: expect.stringContaining(advice),
      };
      expect(failing(status, words)).toEqual({ kind: 'stop', stop, resetsAt });
    },
  );

  it('of a turn that was cut off at its limit of turns asks again', () => {
    const cut = result({ subtype: 'error_max_turns' });
    expect(judge({ evidence: evidence({ result: cut }) })).toEqual({
      kind: 'ask_again',
    });
  });

  it.each<[TurnEvidence['end'], object]>([
    [
      { kind: 'exited', code: 1, signal: null, words: LOGIN },
      { stop: { reason: 'authentication' } },
    ],
    [{ kind: 'of_no_use' }, { why: 'crash' }],
  ])('after %j is %j', (end, verdict) => {
    expect(judge({ evidence: { end } })).toMatchObject(verdict);
  });
});
