import { currentTime, configFolder, homeFolder, findProjectRoot } from '../../files/environment.ts';
import { readStdin, write } from '../../files/streams.ts';
import { openProject, type ProjectContext } from '../../operations/open-project.ts';
import { projectFiles, readingList } from '../../guidance/reading/reading-list.ts';
import { liveHolder, sessionRecord } from '../../sessions/holder.ts';
import { ownRun } from '../../sessions/choose-run.ts';
import { isActive } from '../../sessions/select-run.ts';
import { recordFill, SessionRegistry } from '../../sessions/session-registry.ts';
import type { StoredRun } from '../../state/types.ts';
import { sanitizeLine, shortId, truncate } from '../../text/sanitize.ts';
import { makeColors } from '../../text/colors.ts';
import { parseHostInput, type HostInput } from './host-input.ts';
import { renderLine } from './render-line.ts';

const MAX_INPUT_BYTES = 1_000_000;

interface StatusLineOptions {
  /** For tools that compose a status line of several parts: the line does not end with a line break. */
  segment: boolean;
  /** Words that mean nothing here. */
  unknown: readonly string[];
}

/**
 * Prints one line about the run of the session, or nothing. Whatever the input or the disk, it never fails: the client
 * would blank the status line, and with it the user's own part.
 */
export function printStatusLine({ segment, unknown }: StatusLineOptions): void {
  try {
    const line = statusLine(readStdin(MAX_INPUT_BYTES) ?? '', process.env, currentTime());
    if (line !== '') write(1, segment ? line : `${line}\n`);
    if (unknown.length > 0)
      write(
        2,
        `holdfast: statusline ignores ${sanitizeLine(unknown.join(' '))}; \`holdfast statusline --help\` shows what it takes\n`,
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
  const config = configFolder(environment, homeFolder());
  const registry = new SessionRegistry(config, now.getTime());
  const found = findRun(input, registry, environment, now);
  if (found === null) return '';
  if (found.kind === 'taken') {
    const { workflow, sessions } = found.run.state;
    const by = shortId(sessions?.current_session_id ?? '');
    return `▸ ${truncate(sanitizeLine(workflow), 60)} was taken by session ${by}`;
  }
  const { run, project } = found;
  const { warn } = project.settings.context;
  if (input.fill !== null) recordFill({ config, now }, input.session, input.fill, warn);
  const launchFolder = input.folders.at(-1) ?? project.root;
  const unread = readingList(run.state, projectFiles(project.root, launchFolder)).filter(
    ({ state }) => state === 'unread' || state === 'changed',
  ).length;
  const { workflow, phase } = run.state;
  const colors = makeColors(true, environment['NO_COLOR']);
  const columns = Number(environment['COLUMNS'] ?? '');
  return renderLine(
    { workflow, phase, unread, fill: input.fill, warn },
    colors,
    columns > 0 ? columns : Infinity,
  );
}

/** The run that the session holds, or held last, in the project where it is known to, or where it is now. */
function findRun(
  { session, folders }: HostInput,
  registry: SessionRegistry,
  environment: Environment,
  now: Date,
): Found | null {
  const known = registry.projectOf(session);
  const roots = folders.map((folder) => findProjectRoot(folder, homeFolder()));
  for (const root of new Set([...(known === null ? [] : [known]), ...roots])) {
    const project = openProject({ root, now, environment, lockWaitMs: 0, onBadSettings: () => {} });
    const { runs } = project.store.list();
    const run = ownRun(runs, session, project);
    if (run !== null) return { kind: 'own', run, project };
    const taken = runs.find((other) => isActive(other) && isTakenFrom(other, session, project));
    if (taken !== undefined) return { kind: 'taken', run: taken };
  }
  return null;
}

type Found =
  | { kind: 'own'; run: StoredRun; project: ProjectContext }
  | { kind: 'taken'; run: StoredRun };

/** Whether a live session has taken the run from this one. */
function isTakenFrom({ state }: StoredRun, session: string, context: ProjectContext): boolean {
  const record = sessionRecord(state, session);
  const holder = liveHolder(state, context);
  return record !== undefined && record.released_at === undefined && holder !== null;
}
