import type { Run } from '../state/types.ts';
import { stepLabel } from '../state/progress.ts';
import { waitChanged, waitIdOf } from '../templates/waits.ts';
import { parseJsonObject, type JsonObject } from '../text/json.ts';
import { failed, jsonAnswer, refused } from './answers.ts';
import { ACTIONS, type Action, type Asked, type Done } from './page-data.ts';
import type { Answer } from './request-check.ts';
import { newSecret } from './server.ts';

/** How long a person may think before they confirm. */
const CONFIRM_WITHIN_MS = 10 * 60_000;

/** What a person asks for on the page. */
export interface Act {
  action: Action;
  project: string;
  id: string;
  /** What waited when the page was drawn, for an answer to it. */
  wait?: string;
}

export interface ActOptions {
  now: () => Date;
  find: (act: Act) => Run | undefined;
  /** Does it as a person in a terminal would, and returns what the terminal would say. */
  perform: (act: Act, text: string) => Promise<string[]>;
}

/** An act that was asked for and not confirmed yet. */
interface Question {
  subject: string;
  /** In milliseconds. */
  until: number;
}

/**
 * Only a second request, with the token of the first, acts: there is no replay. An answer is for what the page has drawn, and
 * everything else for the place where the run stood at the first request.
 */
export function actor(options: ActOptions): (body: string) => Promise<Answer> {
  const questions = new Map<string, Question>();

  return async (body) => {
    const request = parseJsonObject(body);
    const act = actFrom(request);
    if (act === null)
      return refused(
        400,
        'bad_request',
        'this is no action of the page',
        'reload the page',
      );

    const run = options.find(act);
    if (run === undefined)
      return refused(
        404,
        'unknown_run',
        'this run no longer exists',
        'nothing was changed',
      );

    // Others may have answered, and the agent may have gone on, since the page was drawn.
    if (act.wait !== undefined && act.wait !== waitIdOf(run))
      return failed(409, waitChanged(run, act.wait));

    const now = options.now().getTime();
    const subject = subjectOf(act, run);
    const { text, confirm } = request;
    if (typeof confirm !== 'string') return ask(questions, subject, now);

    const refusal = checkConfirmed(questions, confirm, subject, now);
    if (refusal !== null) return refusal;

    try {
      const words = typeof text === 'string' ? text.trim() : '';
      const result: Done = { done: await options.perform(act, words) };
      return jsonAnswer(200, result);
    } catch (error) {
      return failed(409, error);
    }
  };
}

const MAX_WAIT_ID_CHARS = 200;

/** Null for a request that the page does not make. An answer names what it answers, and nothing else does. */
function actFrom(request: JsonObject): Act | null {
  const { project, id, wait } = request;
  const action = ACTIONS.find((name) => name === request['action']);
  if (action === undefined) return null;
  if (typeof project !== 'string' || typeof id !== 'string') return null;

  const isAnswer = action === 'approve' || action === 'reject';
  if (!isAnswer) return { action, project, id };
  if (typeof wait !== 'string' || wait.length > MAX_WAIT_ID_CHARS) return null;
  return { action, project, id, wait };
}

/** The act and the place where its run stands: a question is about both. */
function subjectOf(act: Act, run: Run): string {
  const { status, phase } = run.state;
  return JSON.stringify([act, status, phase, stepLabel(run)]);
}

function ask(
  questions: Map<string, Question>,
  subject: string,
  now: number,
): Answer {
  for (const [token, { until }] of questions)
    if (until < now) questions.delete(token);

  const token = newSecret();
  questions.set(token, { subject, until: now + CONFIRM_WITHIN_MS });
  const asked: Asked = { confirm: token };
  return jsonAnswer(200, asked);
}

/** Null if this was asked for, and the run has not moved since. The token is used up in any case. */
function checkConfirmed(
  questions: Map<string, Question>,
  token: string,
  subject: string,
  now: number,
): Answer | null {
  const question = questions.get(token);
  questions.delete(token);

  if (question === undefined || question.until < now)
    return refused(
      403,
      'not_confirmed',
      'this was not asked for here, or was done already',
      'nothing was changed; ask again',
    );
  if (question.subject !== subject)
    return refused(
      409,
      'run_moved',
      'the run has changed since you were asked',
      'nothing was changed; look where it stands, and ask again',
    );
  return null;
}
