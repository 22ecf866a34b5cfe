import { describe, expect, it } from 'vitest';
import { clientArguments, type SessionSpec } from '../../../../src/driver/client/arguments.ts';
import { clientEnvironment } from '../../../../src/driver/client/environment.ts';

const spec = (fields: Partial<SessionSpec> = {}): SessionSpec => ({
  session: 'S',
  isResumed: false,
  model: null,
  permissionMode: null,
  allow: [],
  settings: null,
  agent: null,
  budget: null,
  wantsReport: false,
  ...fields,
});

describe('the command line of the client', () => {
  it('begins a session or resumes one, and never skips permissions', () => {
    expect(clientArguments(spec())).toEqual(expect.arrayContaining(['--session-id', 'S']));
    const resumed = clientArguments(spec({ isResumed: true }));
    expect(resumed).toEqual(expect.arrayContaining(['--resume', 'S']));
    expect(resumed).not.toContain('--session-id');
    expect(resumed.join(' ')).not.toMatch(/skip-permissions|permission-mode/);
  });

  it('defines an agent only if no file does', () => {
    const definition = { description: 'Reads', prompt: 'You read' };
    const described = clientArguments(spec({ agent: { name: 'reviewer', definition } }));
    expect(described).toContain(JSON.stringify({ reviewer: definition }));
    expect(described).toEqual(expect.arrayContaining(['--agent', 'reviewer']));
    expect(clientArguments(spec({ agent: { name: 'reviewer', definition: null } }))).not.toContain(
      '--agents',
    );
  });

  it('ends with the rules, which take all words that follow', () => {
    const words = clientArguments(
      spec({ allow: ['Read', 'Bash(npm test:*)'], budget: 1.5, wantsReport: true }),
    );
    expect(words.slice(-3)).toEqual(['--allowedTools', 'Read', 'Bash(npm test:*)']);
    expect(words).toEqual(expect.arrayContaining(['--max-budget-usd', '1.5000', '--json-schema']));
  });
});

describe('the environment of the client', () => {
  const variables = { driver: 'token run', programFolder: '/own', pathDelimiter: ':' };

  it('has nothing of another session, and everything of the user', () => {
    const environment = clientEnvironment(
      {
        PATH: '/bin',
        HOME: '/home/me',
        ANTHROPIC_API_KEY: 'key',
        CLAUDE_CONFIG_DIR: '/config',
        CLAUDE_CODE_USE_BEDROCK: '1',
        CLAUDECODE: '1',
        CLAUDE_CODE_SESSION_ID: 'outer',
        CLAUDE_CODE_ENTRYPOINT: 'cli',
        CLAUDE_PID: '1',
        CLAUDE_PROJECT_DIR: '/elsewhere',
        HOLDFAST_DRIVER: 'outer run',
        TRACEPARENT: 'x',
      },
      variables,
    );
    expect(environment).toEqual({
      PATH: '/own:/bin',
      HOME: '/home/me',
      ANTHROPIC_API_KEY: 'key',
      CLAUDE_CONFIG_DIR: '/config',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDE_CODE_MAX_RETRIES: '3',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      HOLDFAST_DRIVER: 'token run',
    });
  });

  it('keeps the number of retries that the user has set, and works without a PATH', () => {
    const environment = clientEnvironment({ CLAUDE_CODE_MAX_RETRIES: '9' }, variables);
    expect(environment).toMatchObject({ CLAUDE_CODE_MAX_RETRIES: '9', PATH: '/own' });
  });
});
