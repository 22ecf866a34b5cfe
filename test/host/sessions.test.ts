import { describe, it } from 'vitest';
import type { RunState } from '../../src/state/types.ts';
import { onlyRun } from '../support/state.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, guidanceIn, restoredIn } from './support/given.ts';
import { doHoldfast, openHost, statusFor } from './support/holdfast.ts';
import { isSubAgent } from './support/request.ts';
import { obey, SMALL_WINDOW } from './support/script.ts';

describe.each(CLIENT_VERSIONS)('sessions of client %s', (version) => {
  it('each get their own run back where two work in one project', async (context) => {
    const { expect } = context;
    const files = { 'docs/Alpha.md': 'RULE-OF-Alpha\n', 'docs/Beta.md': 'RULE-OF-Beta\n' };
    const host = await openHost(version, context, { files });
    const work = async (name: string) => {
      const start = doHoldfast('start', name, '--phases', 'A,B', '--read', `docs/${name}.md`);
      const { sessionId } = await host.print(start);
      await host.print('/compact', { resume: sessionId });
      await host.print(`go on with ${name}`, { resume: sessionId });
      const next = host.model.turns().find((turn) => given(turn).includes(`go on with ${name}`));
      return { sessionId, next };
    };

    const [alpha, beta] = await Promise.all([work('Alpha'), work('Beta')]);

    expect(restoredIn(alpha.next)).toEqual(['Alpha, Phase 1/2']);
    expect(guidanceIn(alpha.next)).toContain('RULE-OF-Alpha');
    expect(given(alpha.next).includes('RULE-OF-Beta')).toBe(false);
    expect(restoredIn(beta.next)).toEqual(['Beta, Phase 1/2']);
    expect(guidanceIn(beta.next)).toContain('RULE-OF-Beta');
    expect(given(beta.next).includes('RULE-OF-Alpha')).toBe(false);
    for (const [workflow, { sessionId }] of [['Alpha', alpha] as const, ['Beta', beta] as const]) {
      const { run } = await statusFor(host, { session: sessionId });
      expect(run).toMatchObject({
        workflow,
        sessions: { current_session_id: sessionId },
        context_metadata: { compaction_count: 1 },
      });
    }
  });

  it('keep their run while a sub-agent is compacted, and get it back later', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, {
      answer: (request) =>
        isSubAgent(request) ? { ...obey(request), inputTokens: 150_000 } : obey(request),
      env: SMALL_WINDOW,
    });
    const { root } = host.project;
    const { sessionId } = await host.print(doHoldfast('start', 'Parent', '--phases', 'A,B'));
    const before = onlyRun(root);

    const read = `DO:READ ${host.project.path('docs/RULES.md')}`;
    await host.print(`DO:AGENT ${read} THEN ${read} THEN ${read}`, { resume: sessionId });
    expect(host.model.summaries().some(isSubAgent)).toBe(true);
    const after = onlyRun(root);
    await host.print('/compact', { resume: sessionId });
    await host.print('go on', { resume: sessionId });

    expect([after.phase, after.status, after.sessions?.current_session_id]).toEqual([
      before.phase,
      'in_progress',
      sessionId,
    ]);
    // The older client does not tell a sub-agent's compaction from its parent's.
    if (version === '2.1.325') expect(lasting(after)).toEqual(lasting(before));
    expect(restoredIn(host.model.turns().at(-1))).toEqual(['Parent, Phase 1/2']);
  });
});

/** The run without the traces of a session that was merely seen: it ends and begins with every prompt. */
function lasting({
  revision: _revision,
  updated_at: _updated,
  sessions,
  ...run
}: RunState): object {
  const history = (sessions?.session_history ?? []).map(
    ({
      last_seen_at: _seen,
      ended_at: _ended,
      end_reason: _reason,
      environment: _where,
      ...kept
    }) => kept,
  );
  return { ...run, sessions: { ...sessions, session_history: history } };
}
