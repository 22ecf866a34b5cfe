import { delimiter } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientEnvironment } from '../../../src/headless/session.ts';

describe('the environment of the client', () => {
  it('has nothing of another session, and everything of the user', () => {
    const own = {
      HOME: '/home/me',
      ANTHROPIC_API_KEY: 'key',
      CLAUDE_CONFIG_DIR: '/config',
      CLAUDE_CODE_USE_BEDROCK: '1',
    };
    const foreign = {
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: 'outer',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_PID: '1',
      CLAUDE_PROJECT_DIR: '/elsewhere',
      HOLDFAST_DRIVER: 'outer run',
      TRACEPARENT: 'x',
    };
    const before = { PATH: '/bin', ...own, ...foreign };
    expect(clientEnvironment(before, 'token run', '/own')).toEqual({
      ...own,
      PATH: `/own${delimiter}/bin`,
      CLAUDE_CODE_MAX_RETRIES: '3',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      HOLDFAST_DRIVER: 'token run',
      HOLDFAST_NODE: process.execPath,
    });
  });

  it('keeps the number of retries that the user has set, and works without a PATH', () => {
    const environment = clientEnvironment(
      { CLAUDE_CODE_MAX_RETRIES: '9' },
      'd',
      '/own',
    );
    expect(environment).toMatchObject({
      CLAUDE_CODE_MAX_RETRIES: '9',
      PATH: '/own',
    });
  });
});
