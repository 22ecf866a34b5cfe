import { toHoldfastError } from '../files/fs-errors.ts';
import { isFolder } from '../files/read-file.ts';
import { HoldfastError } from '../text/holdfast-error.ts';
import { isObject } from '../text/json.ts';
import {
  hasHiddenCharacters,
  HIDDEN_IN_TEXT,
  LONE_SURROGATE,
  PRINTABLE_ASCII,
  truncate,
} from '../text/sanitize.ts';
import type { Refused } from './page-data.ts';
import type { Answer, DataRequest } from './request-check.ts';
import { everywhere, overview, runPage, type PageProject } from './views.ts';

/** The projects that the page shows. */
export interface ShownProjects {
  here: PageProject;
  /** Whether the overview is that of all projects. */
  isEverywhere: boolean;
  find: (key: string) => PageProject | undefined;
}

/** The data that a page asks for. No request names a path: projects and runs are looked up among those there are. */
export function answerData(
  request: DataRequest,
  projects: ShownProjects,
  now: Date,
): Answer {
  try {
    const { view, id } = request;
    if (view === 'overview' && projects.isEverywhere)
      return jsonAnswer(200, everywhere(projects.here, now));

    const project = projects.find(request.project);
    if (project === undefined || !isFolder(project.root))
      return refused(
        410,
        'project_gone',
        `the project folder ${project?.root ?? ''} no longer exists`,
        'restore it, or stop this server with Ctrl-C',
      );
    if (view === 'overview') return jsonAnswer(200, overview(project, now));

    const page = runPage(project, id, now);
    if (page === null)
      return refused(
        404,
        'unknown_run',
        'this run no longer exists',
        '`holdfast list --all` lists the others',
      );
    return jsonAnswer(200, page);
  } catch (error) {
    return failed(500, error);
  }
}

/** `status` is for errors with a code; anything else is a bug. */
export function failed(status: number, error: unknown): Answer {
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

export function refused(
  status: number,
  code: string,
  message: string,
  hint: string,
): Answer {
  const data: Refused = { error: { code, message, hint } };
  return jsonAnswer(status, data);
}

export function jsonAnswer(status: number, data: object): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(data, visibleMember),
  };
}

/** For texts that a person or an agent wrote at length, and for all others. */
const MAX_LONG_TEXT_CHARS = 20_000;
const MAX_TEXT_CHARS = 1_000;
const LONG_TEXTS = new Set(['text', 'instructions', 'output', 'summary']);

/** A replacer of `JSON.stringify`, which calls it for each member: every text that leaves the server, keys of objects too. */
function visibleMember(key: string, value: unknown): unknown {
  if (typeof value === 'string') {
    const max = LONG_TEXTS.has(key) ? MAX_LONG_TEXT_CHARS : MAX_TEXT_CHARS;
    return visible(value, max);
  }
  if (!isObject(value)) return value;
  if (!Object.keys(value).some(hasHiddenCharacters)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    visible(name, MAX_TEXT_CHARS),
    member,
  ]);
  return Object.fromEntries(members);
}

/** The page makes only text nodes, so markup does no harm; characters that hide or reorder others would deceive. */
export function visible(text: string, max: number): string {
  const short = truncate(text, max);
  // Most texts are plain, and a page may have tens of thousands.
  if (PRINTABLE_ASCII.test(short)) return short;
  return short
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN_IN_TEXT, ' ')
    .replace(LONE_SURROGATE, '\uFFFD');
}
