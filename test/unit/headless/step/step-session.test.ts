import { describe, expect, it } from 'vitest';
import { NO_SESSIONS, planSession, withFresh } from '../../../../src/headless/step/step-session.ts';

const main = { main: 'M', own: null };
const plan = (fields: Partial<Parameters<typeof planSession>[0]>) =>
  planSession({ perform: 'none', agent: null, entry: 'e', sessions: main, ...fields });

describe('the conversation of a step', () => {
  it('goes on, unless the step asks for something else', () => {
    expect(plan({})).toEqual({ kind: 'known', session: 'M', agent: null, compactFirst: false });
    expect(plan({ perform: 'compact' })).toMatchObject({ session: 'M', compactFirst: true });
    expect(plan({ perform: 'clear' })).toEqual({ kind: 'fresh', why: 'clear', agent: null });
    expect(plan({ sessions: NO_SESSIONS })).toMatchObject({ kind: 'fresh', why: 'start' });
    expect(plan({ sessions: NO_SESSIONS, perform: 'compact' })).toMatchObject({ kind: 'fresh' });
  });

  it('of an agent is its own, and the same one as long as the step lasts', () => {
    expect(plan({ agent: 'reviewer' })).toEqual({ kind: 'fresh', why: 'agent', agent: 'reviewer' });
    const sessions = withFresh(main, { perform: 'none', agent: 'reviewer', entry: 'e' }, 'R');
    expect(sessions).toEqual({ main: 'M', own: { entry: 'e', agent: 'reviewer', session: 'R' } });
    expect(plan({ agent: 'reviewer', sessions })).toMatchObject({ kind: 'known', session: 'R' });
    expect(plan({ agent: 'reviewer', sessions, entry: 'later' })).toMatchObject({ kind: 'fresh' });
    expect(plan({ agent: 'other', sessions })).toMatchObject({ kind: 'fresh' });
    expect(plan({ sessions })).toMatchObject({ kind: 'known', session: 'M' });
  });

  it('after a clear is not the one before it, also if an agent works in between', () => {
    const sessions = withFresh(main, { perform: 'clear', agent: 'reviewer', entry: 'e' }, 'R');
    expect(plan({ sessions })).toMatchObject({ kind: 'fresh', why: 'start' });
  });
});
