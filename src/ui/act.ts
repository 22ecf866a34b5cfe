import type { StoredRun } from '../state/types.ts';
import { stepLabel } from '../templates/run-view.ts';
import { parseJsonObject } from '../text/json.ts';
import { failed, jsonAnswer, refused } from './answers.ts';
import { newSecret, type Answer } from './server.ts';

export const ACTIONS = ['approve', 'reject', 'pause', 'release'] as const;
export type Action = (typeof ACTIONS)[number];

export interface Act {
  action: Action;
  project: string;
  id: string;
}

/** What the page gets when it asks: the token that carries the action out, once, while the run stands where it does. */
export type Asked = { confirm: string };
/** What was done, in sentences. */
export type Done = { done: string[] };

export interface ActOptions {
  now: () => Date;
  /** Undefined if there is none. */
  find: (act: Act) => StoredRun | undefined;
  /** Does it as a person in a terminal would, and returns what the terminal would say. */
  perform: (act: Act, text: string) => Promise<string[]>;
}

const CONFIRM_WITHIN_MS = 10 * 60_000;

/**
 * Acts for the person at the page. The first request asks and gets a token; only a second one with that token acts, so
 * nothing can be replayed, and nobody answers for a step that they have not seen.
 */
export function actor({ now, find, perform }: ActOptions): (body: string) => Promise<Answer> {
  const asked = new Map<string, { what: string; until: number }>();
  return async (body) => {
    const { action: name, project, id, text = '', confirm } = parseJsonObject(body);
    const action = ACTIONS.find((known) => known === name);
    if (action === undefined || typeof project !== 'string' || typeof id !== 'string')
      return refused(400, 'bad_request', 'this is no action of the page', 'reload the page');
    const act = { action, project, id };
    const run = find(act);
    if (run === undefined)
      return refused(404, 'unknown_run', 'this run no longer exists', 'nothing was changed');
    const { status, phase } = run.state;
    const what = JSON.stringify([act, status, phase, stepLabel(run.state)]);
    if (typeof confirm !== 'string') {
      for (const [token, { until }] of asked) if (until < now().getTime()) asked.delete(token);
      const token = newSecret();
      asked.set(token, { what, until: now().getTime() + CONFIRM_WITHIN_MS });
      return jsonAnswer(200, { confirm: token } satisfies Asked);
    }
    const question = asked.get(confirm);
    asked.delete(confirm);
    if (question === undefined || question.until < now().getTime())
      return refused(
        403,
        'not_confirmed',
        'this was not asked for here, or was done already',
        'nothing was changed; ask again',
      );
    if (question.what !== what)
      return refused(
        409,
        'run_moved',
        'the run has changed since you were asked',
        'nothing was changed; look where it stands, and ask again',
      );
    try {
      const done = await perform(act, typeof text === 'string' ? text.trim() : '');
      return jsonAnswer(200, { done } satisfies Done);
    } catch (error) {
      return failed(409, error);
    }
  };
}
