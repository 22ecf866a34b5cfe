import { describe, it } from 'vitest';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, guidanceIn, restoredIn } from './support/given.ts';
import { doHoldfast, openHost, statusFor } from './support/holdfast.ts';
import type { Host } from './support/host.ts';

const PLAN = (name: string, current: number): string =>
  `# Plan: ${name}\n\n**Status**: 🔄 In Progress\n\n### Phase 1: Design ${current > 1 ? '✅' : '🔄'}\n\n### Phase 2: Build ${current > 1 ? '🔄' : ''}\n`;
const LOCAL =
  '# Notes\n\n## Current Workflow State\n\n**Workflow**: Local Work\n**Phase**: 2/3 - Write\n';

/** Compacts the session and returns what the model is given with its next prompt. */
async function compacted(host: Host, session: string, prompt: string) {
  await host.print('/compact', { resume: session });
  await host.print(prompt, { resume: session });
  return host.model.turns().find((turn) => given(turn).includes(prompt));
}

describe.each(CLIENT_VERSIONS)('whose run it is, in client %s', (version) => {
  it('a session that was left finds its run after another was compacted', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context);
    const a = await host.print(doHoldfast('start', 'Alpha', '--phases', 'A,B'));
    const b = await host.print('DO:BASH echo something else');

    const other = await compacted(host, b.sessionId, 'go on with something else');
    const own = await compacted(host, a.sessionId, 'go on with Alpha');

    expect(restoredIn(other)).toEqual([]);
    expect(restoredIn(own)).toEqual(['Alpha, Phase 1/2']);
    const { run } = await statusFor(host, { session: a.sessionId });
    expect(run).toMatchObject({ sessions: { current_session_id: a.sessionId } });
  });

  it('the local file comes before a plan, for the summary and for the session', async (context) => {
    const { expect } = context;
    const files = { 'CLAUDE.local.md': LOCAL, 'CLAUDE/Plan/00001-one/PLAN.md': PLAN('One', 1) };
    const host = await openHost(version, context, { files });
    const { sessionId } = await host.print('DO:BASH echo hello');

    const next = await compacted(host, sessionId, 'go on');

    expect(restoredIn(next)).toEqual(['Local Work, Phase 2/3']);
    expect(guidanceIn(next)).toContain('holdfast release');
    const [summary] = host.model.summaries();
    expect(given(summary)).toContain('- Workflow: Local Work');
    expect(given(summary)).not.toContain('- Workflow: One');
  });

  it('of two plans the edited one is restored', async (context) => {
    const { expect } = context;
    const path = 'CLAUDE/Plan/00001-one/PLAN.md';
    const files = { [path]: PLAN('One', 1), 'CLAUDE/Plan/00002-two/PLAN.md': PLAN('Two', 2) };
    const host = await openHost(version, context, { files });
    const file = host.project.path(path);
    const { sessionId } = await host.print(`DO:READ ${file} THEN DO:EDIT ${file} Build => Make`);

    const next = await compacted(host, sessionId, 'go on');

    expect(restoredIn(next)).toEqual(['One, Phase 1/2']);
    const [summary] = host.model.summaries();
    expect(given(summary)).toContain('- Workflow: One');
  });
});
