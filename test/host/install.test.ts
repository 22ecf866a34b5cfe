import { describe, it } from 'vitest';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, occurrences, restoredIn } from './support/given.ts';
import { doHoldfast, guidanceFor, holdfast, openHost } from './support/holdfast.ts';

const OTHER_TOOL = {
  hooks: {
    SessionStart: [{ hooks: [{ type: 'command', command: 'echo OTHER-TOOL-SPEAKS' }] }],
  },
};
const UNWIRED = { files: { '.claude/settings.json': {} }, git: true };
const START = doHoldfast('start', 'Checkout', '--phases', 'A,B', '--read', 'docs/RULES.md');

describe.each(CLIENT_VERSIONS)('client %s', (version) => {
  it('after init restores a compaction, and runs the hook of another tool as before', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, UNWIRED);
    await host.project.write({ '.claude/settings.local.json': OTHER_TOOL });
    await host.project.git('add', '--all', '--force');
    await host.project.git('commit', '--quiet', '--message=tools');
    await holdfast(host, ['init', '--scope', 'user']);

    const { sessionId } = await host.print(START);
    await host.print('/compact', { resume: sessionId });
    await host.print('go on', { resume: sessionId });

    const next = host.model.turns().at(-1);
    const guidance = await guidanceFor(host, { session: sessionId });
    expect(restoredIn(next)).toEqual(['Checkout, Phase 1/2']);
    expect(occurrences(given(next), guidance)).toBe(1);
    expect(given(next)).toContain('OTHER-TOOL-SPEAKS');
    expect(await host.project.git('status', '--porcelain')).toBe('');
  });
});
