import { currentTime, configFolder, homeFolder, findProjectRoot } from '../../files/environment.ts';
import { readStdin, write } from '../../files/streams.ts';
import { openProject, type ProjectContext } from '../../sessions/open-project.ts';
import { projectFiles, readingList } from '../../guidance/reading/reading-list.ts';
import { liveHolder, sessionRecord } from '../../sessions/holder.ts';
import { isReadable } from '../../guidance/reading/reading-list.ts';
import { ownRun } from '../../sessions/choose-run.ts';
import { recordFill } from '../../sessions/session-registry.ts';
import { isActive } from '../../sessions/select-run.ts';
import { SessionRegistry } from '../../sessions/session-registry.ts';
import type { StoredRun } from '../../state/types.ts';
import { makeColors } from '../../text/colors.ts';
import { sanitizeLine, shortId, truncate } from '../../text/sanitize.ts';
import { parseHostInput, type HostInput } from './host-input.ts';
import { renderLine } from './render-line.ts';

const MAX_INPUT_BYTES = 1_000_000;
/** For tools that compose a status line of several parts: the line does not end with a line break. */
const SEGMENT = '--segment';

/**
 * Prints one line about the run of the session, or nothing. Whatever the input or the disk, it never fails: the client
 * would blank the status line, and with it the user's own part.
 */
export function printStatusLine(words: readonly string[]): void {
  try {
    const line = statusLine(readStdin(MAX_INPUT_BYTES) ?? '', process.env, currentTime());
    if (line !== '') write(1, words.includes(SEGMENT) ? line : `${line}\n`);
    const unknown = words.filter((word) => word !== SEGMENT).join(' ');
    if (unknown !== '')
      write(
        2,
        `holdfast: statusline ignores ${sanitizeLine(unknown)}; \`holdfast statusline --help\` shows what it takes\n`,
      );
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
    return `▸ ${truncate(sanitizeLine(workflow), 60)} was taken by session ${shortId(sessions?.current_session_id ?? '')}`;
  const { warn } = project.settings.context;
  const config = configFolder(environment, homeFolder());
  if (fill !== null) recordFill({ config, now }, session, fill, warn);
  const files = projectFiles(project.root, folders.at(-1) ?? project.root);
  const unread = readingList(run.state, files).filter(
    (entry) => isReadable(entry) && entry.state !== 'in_context',
  ).length;
  const colors = makeColors(true, environment['NO_COLOR']);
  const columns = Number(environment['COLUMNS'] ?? '');
  return renderLine(
    { workflow, phase, unread, fill, warn },
    colors,
    columns > 0 ? columns : Infinity,
  );
}

interface Found {
  run: StoredRun;
  project: ProjectContext;
  /** A live session has taken it from this one. */
  isTaken: boolean;
}

/** The run that the session holds, or held last, in the project where it is known to, or where it is now. */
function findRun(
  { session, folders }: HostInput,
  environment: Environment,
  now: Date,
): Found | null {
  const registry = new SessionRegistry(configFolder(environment, homeFolder()), now.getTime());
  const roots = folders.map((folder) => findProjectRoot(folder, homeFolder()));
  for (const root of new Set([registry.projectOf(session) ?? [], ...roots].flat())) {
    const project = openProject({ root, now, environment, lockWaitMs: 0, onBadSettings: () => {} });
    const { runs } = project.store.list();
    const own = ownRun(runs, session, project);
    const run = own ?? runs.find((other) => isTakenFrom(other, session, project));
    if (run !== undefined) return { run, project, isTaken: own === null };
  }
  return null;
}

function isTakenFrom(run: StoredRun, session: string, context: ProjectContext): boolean {
  const record = sessionRecord(run.state, session);
  if (record === undefined || record.released_at !== undefined || !isActive(run)) return false;
  return liveHolder(run.state, context) !== null;
}
