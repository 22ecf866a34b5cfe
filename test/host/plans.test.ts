import { describe, it } from 'vitest';
import { planFixtures } from '../support/plan-fixtures.ts';
import { onlyRun } from '../support/state.ts';
import { ONE_VERSION } from './support/client.ts';
import { given, guidanceIn, restoredIn } from './support/given.ts';
import { openHost } from './support/holdfast.ts';

const PLAN = 'specs/003-passkey/tasks.md';

/** A project of spec-kit with a feature that is being worked on. */
function specKitFiles(): Record<string, string> {
  const fixture = planFixtures().find(
    ({ format, state }) => format === 'spec-kit' && state === 'under-way',
  );
  if (fixture === undefined) throw new Error('the fixture is gone');
  return fixture.files;
}

describe.each(ONE_VERSION)('plans of other tools, in client %s', (version) => {
  it('a spec-kit feature is restored after a compaction, and follows its boxes', async (context) => {
    const { expect } = context;
    const files = specKitFiles();
    const host = await openHost(version, context, { files });
    const tasks = host.project.path(PLAN);
    const { sessionId } = await host.print([
      `DO:READ ${tasks}`,
      '/compact',
      'go on',
    ]);
    const first = host.model.turns().at(-1);
    const tick = `DO:READ ${tasks} THEN DO:EDIT ${tasks} - [ ] T004 => - [X] T004 THEN DO:EDIT ${tasks} - [ ] T005 => - [X] T005`;
    await host.print([tick, '/compact', 'and on'], { resume: sessionId });
    const second = host.model.turns().at(-1);

    expect(given(host.model.summaries()[0])).toContain(
      'workflow "Sign in with a passkey"',
    );
    expect(restoredIn(first)).toEqual(['Sign in with a passkey, Phase 2/3']);
    expect(guidanceIn(first)).toMatch(/next_item: T004/);
    for (const name of ['tasks', 'spec', 'plan', 'research'])
      expect(guidanceIn(first)).toContain(`@specs/003-passkey/${name}.md`);
    expect(restoredIn(second)).toEqual(['Sign in with a passkey, Phase 3/3']);
    expect(guidanceIn(second)).toMatch(/next_item: T006/);
    expect(onlyRun(host.project.root)).toMatchObject({
      source: { kind: 'plan', path: PLAN, format: 'spec-kit' },
      sessions: { current_session_id: sessionId },
    });
  });
});
