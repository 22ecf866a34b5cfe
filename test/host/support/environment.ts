import { API_KEY, temporaryFolder } from './home.ts';

export type Environment = Readonly<Record<string, string>>;

/** Variables that the client needs. All others are removed, because the tests may run inside a session of the client. */
const INHERITED = [
  'PATH',
  'LANG',
  'LC_ALL',
  'USER',
  'SHELL',
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
];

export function clientEnvironment(
  home: string,
  modelUrl: string,
  extra: Environment = {},
): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    USERPROFILE: home,
    TMPDIR: temporaryFolder(home),
    CLAUDE_CODE_TMPDIR: temporaryFolder(home),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: API_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // 2.1.197 gives a slow MCP server few seconds, and the first turn then comes before its tools.
    MCP_CONNECTION_NONBLOCKING: '0',
    MCP_CONNECT_TIMEOUT_MS: '60000',
    // On a busy machine the hooks of SessionEnd take longer than the 1.5 s that they get.
    CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: '60000',
    ...extra,
  };
}
