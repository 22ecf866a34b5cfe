import { HoldfastError } from '../text/holdfast-error.ts';
import { toHoldfastError } from '../files/fs-errors.ts';
import { isFolder } from '../sessions/open-project.ts';
import {
  hasHiddenCharacters,
  HIDDEN_IN_TEXT,
  LONE_SURROGATE,
  PRINTABLE_ASCII,
  truncate,
} from '../text/sanitize.ts';
import { isObject } from '../text/json.ts';
import type { Answer, DataRequest } from './server.ts';
import { guidancePage, overview, runPage, type Overview, type PageProject } from './views.ts';

/** A sentence instead of data. */
export interface Refused {
  error: { code: string; message: string; hint: string };
}

/** The data that a page asks for. No request names a path: projects and runs are looked up among those there are. */
export function answerData(request: DataRequest, shown: ShownProjects, now: Date): Answer {
  const { view, project: key, id } = request;
  try {
    if (view === 'overview' && shown.everywhere !== undefined)
      return jsonAnswer(200, shown.everywhere());
    const project = shown.find(key);
    if (project === undefined || !isFolder(project.root)) {
      const message = `the project folder ${project?.root ?? ''} no longer exists`;
      return refused(410, 'project_gone', message, 'restore it, or stop this server with Ctrl-C');
    }
    const data = {
      overview: () => overview(project, now),
      run: () => runPage(project, id, now),
      guidance: () => guidancePage(project, id, now),
    }[view]();
    if (data !== null) return jsonAnswer(200, data);
    const hint = '`holdfast list --all` lists the others';
    return refused(404, 'unknown_run', 'this run no longer exists', hint);
  } catch (error) {
    return failed(500, error);
  }
}

/** The projects that the page shows. */
export interface ShownProjects {
  /** Undefined if there is none with this key. */
  find: (key: string) => PageProject | undefined;
  /** The overview of all projects; without it the page shows the only one. */
  everywhere?: () => Overview;
}

export function failed(status: number, error: unknown): Answer {
  const failure = toHoldfastError(error);
  if (failure instanceof HoldfastError)
    return refused(status, failure.code, failure.message, failure.hint);
  const message = error instanceof Error ? error.message : String(error);
  return refused(500, 'internal', `internal error: ${message}`, 'please report it');
}

export function refused(status: number, code: string, message: string, hint: string): Answer {
  return jsonAnswer(status, { error: { code, message, hint } } satisfies Refused);
}

export function jsonAnswer(status: number, data: object): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(data, (key, value: unknown) => readable(key, value)),
  };
}

const MAX_NAME = 1_000;
const MAX_TEXT = 20_000;
const TEXTS = new Set(['text', 'instructions', 'output', 'summary']);

/** Every text that leaves the server, keys of objects too. */
function readable(key: string, value: unknown): unknown {
  if (typeof value === 'string') return visible(value, TEXTS.has(key) ? MAX_TEXT : MAX_NAME);
  return isObject(value) && Object.keys(value).some(hasHiddenCharacters)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [visible(name, MAX_NAME), member]),
      )
    : value;
}

/**
 * Untrusted text. Markup needs no escaping, because the page only makes text nodes of it; characters that hide or reorder
 * others would still deceive the reader, so they are replaced.
 */
export function visible(text: string, max: number): string {
  const short = truncate(text, max);
  return PRINTABLE_ASCII.test(short)
    ? short
    : short.replace(/\r\n?/g, '\n').replace(HIDDEN_IN_TEXT, ' ').replace(LONE_SURROGATE, '\uFFFD');
}
