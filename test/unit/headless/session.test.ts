import { delimiter } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientEnvironment, planSession, withFresh } from '../../../src/headless/session.ts';

const STEP = { perform: 'none', agent: null, entry: 'e' } as const;
const REVIEW = { ...STEP, agent: 'reviewer' };
const main = { main: 'M', own: null };
const reviewed = { main: 'M', own: { entry: 'e', agent: 'reviewer', session: 'R' } };
const none = { main: null, own: null };

describe('the conversation of a step', () => {
  it.each([
    ['goes on', STEP, main, 'M', false],
    ['is compacted first', { ...STEP, perform: 'compact' }, main, 'M', true],
    ['is a fresh one for a clear', { ...STEP, perform: 'clear' }, main, null, false],
    ['is a fresh one at the start', STEP, none, null, false],
    ['is not compacted before it begins', { ...STEP, perform: 'compact' }, none, null, false],
    ['of an agent is its own', REVIEW, main, null, false],
    ['of an agent lasts as long as its step', REVIEW, reviewed, 'R', false],
    [
      'of an agent is not that of an earlier step',
      { ...REVIEW, entry: 'f' },
      reviewed,
      null,
      false,
    ],
    ["is not another agent's", { ...STEP, agent: 'other' }, reviewed, null, false],
    ['after that of an agent is the main one', STEP, reviewed, 'M', false],
  ] as const)('%s', (_name, step, sessions, session, compactFirst) => {
    expect(planSession(step, sessions)).toEqual({ session, compactFirst });
  });

  it('is known once it was begun; a clear forgets the main one, also for an agent', () => {
    expect(withFresh(reviewed, STEP, 'N')).toEqual({ main: 'N', own: null });
    expect(withFresh(main, REVIEW, 'R')).toEqual(reviewed);
    const cleared = withFresh(main, { ...REVIEW, perform: 'clear' }, 'R');
    expect(cleared).toEqual({ ...reviewed, main: null });
  });
});

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
    });
  });

  it('keeps the number of retries that the user has set, and works without a PATH', () => {
    const environment = clientEnvironment({ CLAUDE_CODE_MAX_RETRIES: '9' }, 'd', '/own');
    expect(environment).toMatchObject({ CLAUDE_CODE_MAX_RETRIES: '9', PATH: '/own' });
  });
});
