import {
  currentTime,
  configFolder,
  homeFolder,
  findProjectRoot,
} from '../files/environment.ts';
import { readStdin, write } from '../files/streams.ts';
import { openProject } from '../sessions/open-project.ts';
import {
  readingList,
  isReadable,
} from '../guidance/reading/required-reading.ts';
import { sessionRecord } from '../sessions/holder.ts';
import { hasReleased } from '../sessions/choose-run.ts';
import { SessionRegistry } from '../sessions/session-registry.ts';
import { isActive } from '../sessions/select-run.ts';
import type { StoredRun, Phase } from '../state/types.ts';
import { makeColors, type Colors } from '../text/colors.ts';
import { asWord, sanitizeLine, shortId } from '../text/sanitize.ts';
import { compactionWindow, fillPercent } from '../text/context-fill.ts';
import { isObject } from '../text/json.ts';
import { isCounted, uncountedText } from '../state/phase-words.ts';
import { cut, widthOf } from '../text/terminal-width.ts';
import { ownRun } from '../sessions/own-run.ts';

const MAX_INPUT_BYTES = 1_000_000;

/** Never fails: the client would blank the status line, and with it the user's own part. */
export function printStatusLine(words: readonly string[]): void {
  try {
    const line = statusLine(
      readStdin(MAX_INPUT_BYTES) ?? '',
      process.env,
      currentTime(),
    );
    // For tools that compose a status line of several parts.
    const end = words.includes('--segment') ? '' : '\n';
    if (line !== '') write(1, `${line}${end}`);
  } catch (error) {
    // Input that is not JSON does not come from the client.
    if (error instanceof SyntaxError) return;
    // The client shows standard output only; this is for a person who runs the command to find out.
    write(2, `holdfast: no status line: ${String(error)}\n`);
  }
}

type Environment = Record<string, string | undefined>;

/** Reads the project and never writes into it. */
function statusLine(text: string, environment: Environment, now: Date): string {
  const input = parseHostInput(text, environment);
  if (input === null) return '';
  const { session, folders, fill } = input;
  const found = findRun(input, environment, now);
  if (found === null) return '';
  const { run, project, isTaken } = found;
  const { workflow, phase, sessions } = run.state;
  if (isTaken)
    return `▸ ${asWord(workflow, MAX_NAME)} was taken by session ${shortId(sessions?.current_session_id ?? '')}`;
  const { warn } = project.settings.context;
  if (fill !== null) project.registry.recordFill(session, fill, warn);
  const { root } = project;
  const unread = readingList(run.state, root, folders.at(-1) ?? root).filter(
    (entry) => isReadable(entry) && entry.state !== 'in_context',
  ).length;
  const colors = makeColors(true, environment['NO_COLOR']);
  const width = Number(environment['COLUMNS'] ?? '');
  return renderLine(
    { workflow, phase, unread, fill, warn },
    colors,
    width > 0 ? width : Infinity,
  );
}

/** The run that the session holds, or held last, or that a live session has taken from it: where it is known to, or is now. */
function findRun(
  { session, folders }: { session: string; folders: string[] },
  environment: Environment,
  now: Date,
) {
  const registry = new SessionRegistry(
    configFolder(environment, homeFolder()),
    now.getTime(),
  );
  const roots = folders.map((folder) => findProjectRoot(folder, homeFolder()));
  for (const root of new Set(
    [registry.entry(session)?.project ?? [], ...roots].flat(),
  )) {
    const project = openProject({
      root,
      now,
      environment,
      registry,
      // The line has no place for it.
      warn: () => undefined,
    });
    const { runs } = project.store.list();
    const own = ownRun(runs, session, project);
    const isTaken = (other: StoredRun): boolean =>
      sessionRecord(other.state, session) !== undefined &&
      !hasReleased(other, session);
    const run = own ?? runs.filter(isActive).find(isTaken);
    if (run !== undefined) return { run, project, isTaken: own === null };
  }
  return null;
}

/** Null for input that names no session: fields come and go between versions, but a run belongs to a session. */
export function parseHostInput(
  text: string,
  environment: Environment,
): { session: string; folders: string[]; fill: number | null } | null {
  const json: unknown = JSON.parse(text);
  if (!isObject(json) || typeof json['session_id'] !== 'string') return null;
  const { session_id: session, cwd, workspace, context_window: context } = json;
  const { current_dir, project_dir } = isObject(workspace) ? workspace : {};
  const folders = [current_dir, cwd, project_dir].filter(
    (folder): folder is string => typeof folder === 'string' && folder !== '',
  );
  return session === ''
    ? null
    : { session, folders, fill: fillIn(context, environment) };
}

/** At the start and after `/clear` the usage is null, after a compaction it is 0 until the next reply. */
function fillIn(context: unknown, environment: Environment): number | null {
  if (!isObject(context)) return null;
  const { current_usage: usage, context_window_size: size } = context;
  if (!isObject(usage) || typeof size !== 'number') return null;
  const tokens = [
    'input_tokens',
    'cache_creation_input_tokens',
    'cache_read_input_tokens',
  ]
    .map((key) => usage[key])
    .reduce<number>(
      (sum, count) => sum + (typeof count === 'number' ? count : 0),
      0,
    );
  return tokens > 0
    ? fillPercent(tokens, compactionWindow(size, environment))
    : null;
}

export interface LineContent {
  workflow: string;
  phase: Phase;
  /** Required files that are not in the context as they are now. */
  unread: number;
  fill: number | null;
  warn: readonly number[];
}

const MAX_NAME = 60;

/** `▸ User Auth · Build 2/3 · 1 unread · ctx 71 %`, shortened from the right to this many columns. */
export function renderLine(
  content: LineContent,
  colors: Colors,
  columns: number,
): string {
  let left = columns;
  let line = '';
  for (const [text, paint] of segmentsOf(content, colors)) {
    const lead = line === '' ? '' : ' · ';
    // A segment of which nothing but the ellipsis would be left tells nothing.
    if (left < lead.length + 2) break;
    const kept = cut(text, left - lead.length);
    line += `${lead && colors.dim(lead)}${paint(kept)}`;
    left -= lead.length + widthOf(kept);
    if (kept !== text) break;
  }
  return line;
}

type Paint = (text: string) => string;

function segmentsOf(
  { workflow, phase, unread, fill, warn }: LineContent,
  { red, yellow, green, dim }: Colors,
): [text: string, paint: Paint][] {
  const short = (text: string): string => cut(sanitizeLine(text), MAX_NAME);
  const isBlocked = phase.status === 'blocked';
  const where = isCounted(phase)
    ? `${phase.name === '' ? 'Phase' : short(phase.name)} ${phase.current}/${phase.total}`
    : short(uncountedText(phase)) || 'in progress';
  // Yellow above the first threshold, red above the last one.
  const passed = warn.filter(
    (threshold) => fill !== null && fill >= threshold,
  ).length;
  const warning = passed === 0 ? dim : passed === warn.length ? red : yellow;
  return [
    [`▸ ${short(workflow)}`, isBlocked ? red : unread > 0 ? yellow : green],
    isBlocked ? [`${where} blocked`, red] : [where, (text) => text],
    ...(unread > 0
      ? [[`${unread} unread`, yellow] satisfies [string, Paint]]
      : []),
    ...(fill === null
      ? []
      : [[`ctx ${fill} %`, warning] satisfies [string, Paint]]),
  ];
}
