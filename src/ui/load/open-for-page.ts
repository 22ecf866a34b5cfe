import { openProject, type OperationContext } from '../../operations/open-project.ts';
import { SessionRegistry } from '../../sessions/session-registry.ts';

/** The project that a page shows. */
export interface PageProject {
  /** Fixed when the server starts: a folder that is deleted must not turn into the project above it. */
  root: string;
  /** The user's home folder; paths in it are shown with `~`. */
  home: string;
  /** The user's configuration folder of Claude Code. */
  config: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** For one request. It looks from outside: no session asks, also if an agent started the server, and nothing is marked as seen. */
export function openForPage(
  { root, config, environment }: PageProject,
  now: Date,
): OperationContext {
  const { CLAUDE_CODE_SESSION_ID: _session, ...others } = environment;
  const ignoreWarning = (): void => {
    // The page shows unreadable files itself; a terminal that serves a page for hours would fill with repetitions.
  };
  return {
    ...openProject({ root, now, environment: others, lockWaitMs: 0, onBadSettings: ignoreWarning }),
    cwd: root,
    launchFolder: root,
    session: null,
    client: null,
    registry: new SessionRegistry(config, now.getTime()),
    config,
    by: 'cli',
    warn: ignoreWarning,
  };
}
