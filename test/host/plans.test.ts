import { describe, it } from 'vitest';
import { planFixtures } from '../support/plan-fixtures.ts';
import { onlyRun } from '../support/state.ts';
import { ONE_VERSION } from './support/client.ts';
import { given, guidanceIn, restoredIn } from './support/given.ts';
import { doHoldfast, openHost } from './support/holdfast.ts';

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
    const { sessionId } = await host.print(`DO:READ ${tasks}`);

    await host.print('/compact', { resume: sessionId });
    await host.print('go on', { resume: sessionId });
    const first = host.model.turns().at(-1);
    await host.print(
      `DO:READ ${tasks} THEN DO:EDIT ${tasks} - [ ] T004 => - [X] T004 THEN DO:EDIT ${tasks} - [ ] T005 => - [X] T005`,
      { resume: sessionId },
    );
    await host.print('/compact', { resume: sessionId });
    await host.print('and on', { resume: sessionId });
    const second = host.model.turns().at(-1);

    expect(given(host.model.summaries()[0])).toContain('workflow Sign in with a passkey');
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

  it('a plan that the agent starts from is restored', async (context) => {
    const { expect } = context;
    const plan = '# Plan: Baskets\n\n## 1. Read\n- [x] a\n\n## 2. Write\n- [ ] keep them full\n';
    const host = await openHost(version, context, { files: { 'docs/plan.md': plan } });
    const { sessionId } = await host.print(doHoldfast('start', '--from-plan', 'docs/plan.md'));

    await host.print('/compact', { resume: sessionId });
    await host.print('go on', { resume: sessionId });

    const next = host.model.turns().at(-1);
    expect(restoredIn(next)).toEqual(['Baskets, Phase 2/2']);
    expect(guidanceIn(next)).toContain('next_item: keep them full');
  });
});
