import { describe, it } from 'vitest';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, guidanceIn, occurrences, restoredIn } from './support/given.ts';
import { openHost, RULES } from './support/holdfast.ts';

describe.each(CLIENT_VERSIONS)('required reading with client %s', (version) => {
  it('that CLAUDE.local.md imports is left to the host, and not given twice', async (context) => {
    const { expect } = context;
    const local = '# Workflow State\n\nWorkflow: Catalogue\nPhase: 2/4 - Mapping\n@docs/RULES.md\n';
    const host = await openHost(version, context, { files: { 'CLAUDE.local.md': local } });

    const { sessionId } = await host.print('DO:BASH true');
    await host.print('/compact', { resume: sessionId });
    await host.print('go on', { resume: sessionId });

    const next = host.model.turns().at(-1);
    expect(restoredIn(next)).toEqual(['Catalogue, Phase 2/4']);
    expect(guidanceIn(next)).toContain('@docs/RULES.md (loaded by the host)');
    expect(occurrences(given(next), RULES.trim())).toBe(1);
  });
});
