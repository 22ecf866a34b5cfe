export type Environment = Record<string, string | undefined>;

/** What a client tells the programs that it starts about itself: another client must not take it for its own. */
const OF_ANOTHER_SESSION = new Set([
  'CLAUDECODE',
  'CLAUDE_CODE_SESSION_ID',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_EXECPATH',
  'CLAUDE_CODE_MESSAGING_SOCKET',
  'CLAUDE_CODE_MESSAGING_TOKEN',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_PID',
  'CLAUDE_EFFORT',
  'CLAUDE_ENV_FILE',
  'CLAUDE_PROJECT_DIR',
  'AI_AGENT',
  'TRACEPARENT',
  'HOLDFAST_DRIVER',
]);

/** Retries of the client itself; the driver waits longer between its own. */
const CLIENT_RETRIES = '3';

export interface ClientVariables {
  /** Marks what the client starts as part of this driven run. */
  driver: string;
  /** A folder with a `holdfast` that is this one; the agent's shell finds it first. */
  programFolder: string;
  pathDelimiter: string;
}

/** The environment of a client: the user's own, with what belongs to another session removed. */
export function clientEnvironment(
  environment: Environment,
  { driver, programFolder, pathDelimiter }: ClientVariables,
): Environment {
  const own = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !OF_ANOTHER_SESSION.has(name.toUpperCase())),
  );
  const pathName = Object.keys(own).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const path = own[pathName];
  return {
    CLAUDE_CODE_MAX_RETRIES: CLIENT_RETRIES,
    ...own,
    // Work in the background would end after the turn that the step is judged by.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    HOLDFAST_DRIVER: driver,
    [pathName]:
      path === undefined || path === '' ? programFolder : `${programFolder}${pathDelimiter}${path}`,
  };
}
