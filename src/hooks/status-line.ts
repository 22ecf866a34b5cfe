import { recordFill } from '../sessions/fill-warning.ts';
import {
  currentTime,
  configFolder,
  homeFolder,
  findProjectRoot,
} from '../files/environment.ts';
import { readStdin, write } from '../files/streams.ts';
import { openProject, type Project } from '../sessions/open-project.ts';
import { sessionRecord } from '../sessions/holder.ts';
import { hasReleased } from '../sessions/choose-run.ts';
import { SessionRegistry } from '../sessions/session-registry.ts';
import { isActive } from '../state/run.ts';
import { waitOf } from '../state/progress.ts';
import type { Phase, Run } from '../state/types.ts';
import { isWaitingPhase } from '../state/waiting-phase.ts';
import { makeColors, type Colors } from '../text/colors.ts';
import { asWord, sanitizeLine, shortId } from '../text/sanitize.ts';
import { fillOfContextWindow, passedThresholds } from '../text/context-fill.ts';
import { isObject } from '../text/json.ts';
import { isCounted, uncountedText, phaseNumber } from '../state/phase-words.ts';
import { cut, widthOf } from '../text/terminal-width.ts';
import { ownRun } from '../sessions/own-run.ts';

/** The client sends a few kilobytes, after every message. */
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
  const found = input === null ? null : findRun(input, environment, now);
  if (input === null || found === null) return '';
  const { session, fill } = input;
  const { run, project, isTaken } = found;
  const { workflow, phase, sessions } = run.state;
  if (isTaken) {
    const holder = shortId(sessions?.current_session_id ?? '');
    return `▸ ${asWord(workflow, MAX_NAME_CHARS)} was taken by session ${holder}`;
  }

  const { registry, settings } = project;
  const { warn } = settings.context;
  if (fill !== null) recordFill(registry, session, fill, warn);
  const colors = makeColors(true, environment['NO_COLOR']);
  const columns = Number(environment['COLUMNS'] ?? '');
  return renderLine(
    { workflow, phase, waitsFor: waitsForPerson(run), fill, warn },
    colors,
    columns > 0 ? columns : Infinity,
  );
}

/** In the same words as `list` and the page. */
function waitsForPerson(run: Run): LineContent['waitsFor'] {
  if (isWaitingPhase(run.state)) return 'word';
  return waitOf(run)?.for === 'approval' ? 'approval' : null;
}

/** The run that the session holds, or held last, or that a live session has taken from it: where it is known to, or is now. */
function findRun(
  { session, folders }: HostInput,
  environment: Environment,
  now: Date,
): { run: Run; project: Project; isTaken: boolean } | null {
  const home = homeFolder();
  const config = configFolder(environment, home);
  const registry = new SessionRegistry(config, now.getTime());
  const noted = registry.entry(session)?.project;
  const roots = new Set(noted === undefined ? [] : [noted]);
  for (const folder of folders) roots.add(findProjectRoot(folder, home));

  for (const root of roots) {
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
    if (own !== null) return { run: own, project, isTaken: false };
    const taken = runs.find(
      (run) =>
        isActive(run) &&
        sessionRecord(run.state, session) !== undefined &&
        !hasReleased(run, session),
    );
    if (taken !== undefined) return { run: taken, project, isTaken: true };
  }
  return null;
}

interface HostInput {
  session: string;
  /** Where the session is now, then the folder that it was launched in. */
  folders: string[];
  /** In percent of what the context may have before the client compacts it; null if it is not known. */
  fill: number | null;
}

/** Null for input that names no session: fields come and go between versions, but a run belongs to a session. */
export function parseHostInput(
  text: string,
  environment: Environment,
): HostInput | null {
  const json: unknown = JSON.parse(text);
  if (!isObject(json) || typeof json['session_id'] !== 'string') return null;
  const { session_id: session, cwd, workspace, context_window } = json;
  const { current_dir, project_dir } = isObject(workspace) ? workspace : {};
  const folders = [current_dir, cwd, project_dir].filter(
    (folder): folder is string => typeof folder === 'string' && folder !== '',
  );
  if (session === '') return null;
  const fill = fillOfContextWindow(context_window, environment);
  return { session, folders, fill };
}

export interface LineContent {
  workflow: string;
  phase: Phase;
  /** What of the person the run waits for. */
  waitsFor: 'approval' | 'word' | null;
  fill: number | null;
  warn: readonly number[];
}

const MAX_NAME_CHARS = 60;

const SEPARATOR = ' · ';

/** `▸ User Auth · Build 2/3 · ctx 71 %`, shortened from the right to this many columns. */
export function renderLine(
  content: LineContent,
  colors: Colors,
  columns: number,
): string {
  let left = columns;
  let line = '';
  for (const [text, paint] of segmentsOf(content, colors)) {
    const lead = line === '' ? '' : SEPARATOR;
    // A segment of which nothing but the ellipsis would be left tells nothing.
    if (left < lead.length + 2) break;
    const kept = cut(text, left - lead.length);
    if (lead !== '') line += colors.dim(lead);
    line += paint(kept);
    left -= lead.length + widthOf(kept);
    if (kept !== text) break;
  }
  return line;
}

type Paint = (text: string) => string;

function segmentsOf(
  { workflow, phase, waitsFor, fill, warn }: LineContent,
  { red, yellow, green, dim }: Colors,
): [text: string, paint: Paint][] {
  const short = (text: string): string =>
    cut(sanitizeLine(text), MAX_NAME_CHARS);
  const segments: [text: string, paint: Paint][] = [];

  const isBlocked = phase.status === 'blocked';
  segments.push([`▸ ${short(workflow)}`, isBlocked ? red : green]);

  const name = phase.name === '' ? 'Phase' : short(phase.name);
  const where = isCounted(phase)
    ? `${name} ${phaseNumber(phase)}`
    : short(uncountedText(phase)) || 'in progress';
  if (isBlocked) segments.push([`${where} blocked`, red]);
  else if (waitsFor !== null)
    segments.push([`${where} waits for your ${waitsFor}`, yellow]);
  else segments.push([where, (text) => text]);

  if (fill !== null) {
    // Yellow above the first threshold, red above the last one.
    const passed = passedThresholds(fill, warn).length;
    let color = dim;
    if (passed > 0) color = passed === warn.length ? red : yellow;
    segments.push([`ctx ${fill} %`, color]);
  }
  return segments;
}
