import { describe, it } from 'vitest';
import { openAttendedHost } from './support/attended.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, noticesIn, restoredIn } from './support/given.ts';
import { doHoldfast, openHost, statusFor } from './support/holdfast.ts';
import type { Host } from './support/host.ts';

const PLAN = (name: string, current: number): string =>
  `# Plan: ${name}\n\n**Status**: 🔄 In Progress\n\n### Phase 1: Design ${current > 1 ? '✅' : '🔄'}\n\n### Phase 2: Build ${current > 1 ? '🔄' : ''}\n`;

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

  it('a plan is offered after /clear without any compaction before', async (context) => {
    const { expect } = context;
    const path = 'CLAUDE/Plan/00001-one/PLAN.md';
    const { sitDown } = await openAttendedHost(version, context, {
      files: { [path]: PLAN('One', 2) },
    });
    const { terminal, ask } = await sitDown();

    const atStartup = await ask('hello');
    await terminal.say('/clear');
    const isCleared = async () => /SessionStart:clear says/.test(await terminal.screen());
    await terminal.until('the clear', isCleared);
    await terminal.until('an empty line', async () => (await terminal.typed()) === '');
    const afterClear = await ask('hello again');

    for (const request of [atStartup, afterClear])
      expect(noticesIn(request)).toEqual([
        expect.stringContaining(`In progress here: One, Phase 2/2 - Build, declared in ${path}`),
      ]);
    await terminal.quit();
  });
});
