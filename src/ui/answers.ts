import { HoldfastError } from '../text/holdfast-error.ts';
import { toHoldfastError } from '../files/fs-errors.ts';
import { isFolder } from '../files/read-file.ts';
import {
  hasHiddenCharacters,
  HIDDEN_IN_TEXT,
  LONE_SURROGATE,
  PRINTABLE_ASCII,
  truncate,
} from '../text/sanitize.ts';
import { isObject, parseJsonObject, type JsonObject } from '../text/json.ts';
import type { StoredRun } from '../state/types.ts';
import { stepLabel } from '../state/progress.ts';
import { waitChanged, waitIdOf } from '../templates/waits.ts';
import { type Answer, type DataRequest, newSecret } from './server.ts';
import { everywhere, overview, runPage, type PageProject } from './views.ts';

export type Refused = {
  error: { code: string; message: string; hint: string };
};

/** The data that a page asks for. No request names a path: projects and runs are looked up among those there are. */
export function answerData(
  { view, project: key, id }: DataRequest,
  { here, isEverywhere, find }: ShownProjects,
  now: Date,
): Answer {
  try {
    if (view === 'overview' && isEverywhere)
      return jsonAnswer(200, everywhere(here, now));
    const project = find(key);
    if (project === undefined || !isFolder(project.root)) {
      const message = `the project folder ${project?.root ?? ''} no longer exists`;
      return refused(
        410,
        'project_gone',
        message,
        'restore it, or stop this server with Ctrl-C',
      );
    }
    const data =
      view === 'overview' ? overview(project, now) : runPage(project, id, now);
    if (data !== null) return jsonAnswer(200, data);
    const hint = '`holdfast list --all` lists the others';
    return refused(404, 'unknown_run', 'this run no longer exists', hint);
  } catch (error) {
    return failed(500, error);
  }
}

export interface ShownProjects {
  here: PageProject;
  /** Whether the overview is that of all projects. */
  isEverywhere: boolean;
  find: (key: string) => PageProject | undefined;
}

function failed(status: number, error: unknown): Answer {
  const failure = toHoldfastError(error);
  if (failure instanceof HoldfastError)
    return refused(status, failure.code, failure.message, failure.hint);
  const message = error instanceof Error ? error.message : String(error);
  return refused(
    500,
    'internal',
    `internal error: ${message}`,
    'please report it',
  );
}

const refused = (
  status: number,
  code: string,
  message: string,
  hint: string,
): Answer =>
  jsonAnswer(status, { error: { code, message, hint } } satisfies Refused);

const jsonAnswer = (status: number, data: object): Answer => ({
  status,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify(data, (key, value: unknown) => readable(key, value)),
});

const MAX_NAME = 1_000;
const MAX_TEXT = 20_000;
const TEXTS = new Set(['text', 'instructions', 'output', 'summary']);

/** Every text that leaves the server, keys of objects too. */
function readable(key: string, value: unknown): unknown {
  if (typeof value === 'string')
    return visible(value, TEXTS.has(key) ? MAX_TEXT : MAX_NAME);
  return isObject(value) && Object.keys(value).some(hasHiddenCharacters)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [
          visible(name, MAX_NAME),
          member,
        ]),
      )
    : value;
}

/** The page makes only text nodes, so markup does no harm; characters that hide or reorder others would deceive. */
export function visible(text: string, max: number): string {
  const short = truncate(text, max);
  return PRINTABLE_ASCII.test(short)
    ? short
    : short
        .replace(/\r\n?/g, '\n')
        .replace(HIDDEN_IN_TEXT, ' ')
        .replace(LONE_SURROGATE, '\uFFFD');
}

export const ACTIONS = ['approve', 'reject', 'pause', 'release'] as const;
export type Action = (typeof ACTIONS)[number];

/** `wait`: what waited when the page was drawn, for an answer to it. */
export type Act = {
  action: Action;
  project: string;
  id: string;
  wait?: string;
};

/** What the page gets when it asks: the token that carries the action out, once, while the run stands where it does. */
export type Asked = { confirm: string };
export type Done = { done: string[] };

export interface ActOptions {
  now: () => Date;
  find: (act: Act) => StoredRun | undefined;
  /** Does it as a person in a terminal would, and returns what the terminal would say. */
  perform: (act: Act, text: string) => Promise<string[]>;
}

/**
 * Only a second request, with the token of the first, acts: there is no replay. An answer is for what the page has drawn, and
 * everything else for the place where the run stood at the first request.
 */
export function actor({
  now,
  find,
  perform,
}: ActOptions): (body: string) => Promise<Answer> {
  const asked = new Map<string, { what: string; until: number }>();
  return async (body) => {
    const request = parseJsonObject(body);
    const { text = '', confirm } = request;
    const act = actFrom(request);
    if (act === null)
      return refused(
        400,
        'bad_request',
        'this is no action of the page',
        'reload the page',
      );
    const run = find(act);
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
    const { status, phase } = run.state;
    const what = JSON.stringify([act, status, phase, stepLabel(run)]);
    if (typeof confirm !== 'string') {
      for (const [token, { until }] of asked)
        if (until < now().getTime()) asked.delete(token);
      const token = newSecret();
      asked.set(token, { what, until: now().getTime() + 10 * 60_000 });
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
      const done = await perform(
        act,
        typeof text === 'string' ? text.trim() : '',
      );
      return jsonAnswer(200, { done } satisfies Done);
    } catch (error) {
      return failed(409, error);
    }
  };
}

const MAX_WAIT_CHARS = 200;

/** Null for a request that the page does not make. An answer names what it answers, and nothing else does. */
function actFrom({ action: name, project, id, wait }: JsonObject): Act | null {
  const action = ACTIONS.find((each) => each === name);
  if (
    action === undefined ||
    typeof project !== 'string' ||
    typeof id !== 'string'
  )
    return null;
  if (action !== 'approve' && action !== 'reject')
    return { action, project, id };
  if (typeof wait !== 'string' || wait.length > MAX_WAIT_CHARS) return null;
  return { action, project, id, wait };
}
