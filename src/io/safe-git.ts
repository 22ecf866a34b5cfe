/** Overrides settings by which a repository would have a command that only reads start a program. */
const SAFE_GIT_OPTIONS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'log.showSignature=false',
  'color.ui=false',
  // A folder of a project may look like a repository without a work tree, whose configuration came with the project.
  'safe.bareRepository=explicit',
].flatMap((setting) => ['-c', setting]);

/** The arguments of git for a command in `folder`. */
export function gitWords(folder: string, words: readonly string[]): string[] {
  return [...SAFE_GIT_OPTIONS, '--no-optional-locks', '--no-pager', '-C', folder, ...words];
}

/**
 * In a partial clone, fetching missing objects would run the transport that the repository configures. Only newer
 * versions of git know the first variable; the second one allows no transport, whatever the configuration says.
 */
const WITHOUT_FETCHING = { GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };

type Environment = Record<string, string | undefined>;

/** Inside a git hook GIT_DIR and similar variables are set, which would lead git to another repository. */
export function safeGitEnvironment(environment: Environment): Environment {
  const others = Object.entries(environment).filter(([name]) => !/^GIT_/i.test(name));
  return { ...Object.fromEntries(others), ...WITHOUT_FETCHING };
}
