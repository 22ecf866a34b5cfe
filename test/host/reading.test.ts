import { describe, it } from 'vitest';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, guidanceIn, occurrences, restoredIn } from './support/given.ts';
import { doHoldfast, openHost, RULES, statusFor } from './support/holdfast.ts';

describe.each(CLIENT_VERSIONS)('required reading with client %s', (version) => {
  it('is in context once the Read tool has read it, also after a compaction, when the client attaches it again', async (context) => {
    const { expect } = context;
    // Too long to be given with the guidance.
    const host = await openHost(version, context, {
      files: { 'docs/LONG.md': 'line\n'.repeat(500) },
    });
    const entry = '@docs/LONG.md';
    const read = `DO:READ ${host.project.path('docs/LONG.md')}`;
    const readingOf = async (session: string) =>
      (await statusFor(host, { session })).reading;

    const start = doHoldfast('start', 'Checkout', '--read', entry);
    const { sessionId } = await host.print([start, read]);
    expect(await readingOf(sessionId)).toEqual([
      { path: entry, state: 'in_context' },
    ]);

    // The client attaches it again by itself, which its transcript shows.
    await host.print('/compact', { resume: sessionId });
    expect(await readingOf(sessionId)).toEqual([
      { path: entry, state: 'in_context' },
    ]);
    await host.print(read, { resume: sessionId });
    expect(guidanceIn(host.model.turns().at(-1))).toContain(
      'have to be opened with the Read tool',
    );
    expect(await readingOf(sessionId)).toEqual([
      { path: entry, state: 'in_context' },
    ]);
  });

  it('that CLAUDE.local.md imports is left to the host, and not given twice', async (context) => {
    const { expect } = context;
    const local =
      '# Workflow State\n\nWorkflow: Catalogue\nPhase: 2/4 - Mapping\n@docs/RULES.md\n';
    const host = await openHost(version, context, {
      files: { 'CLAUDE.local.md': local },
    });

    await host.print(['DO:BASH true', '/compact', 'go on']);

    const next = host.model.turns().at(-1);
    expect(restoredIn(next)).toEqual(['Catalogue, Phase 2/4']);
    expect(guidanceIn(next)).toContain('@docs/RULES.md (loaded by the host)');
    expect(occurrences(given(next), RULES.trim())).toBe(1);
  });
});
