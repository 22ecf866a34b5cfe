import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import type { RunState } from '../../src/state/types.ts';
import { onlyRun, stateFiles } from '../support/state.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { given, guidanceIn, noticesIn, restoredIn } from './support/given.ts';
import {
  doHoldfast,
  holdfast,
  openHost,
  statusFor,
} from './support/holdfast.ts';
import { createRecorder } from './support/recorder.ts';
import { isSubAgent } from './support/request.ts';
import { obey, SMALL_WINDOW } from './support/script.ts';

describe.each(CLIENT_VERSIONS)('sessions of client %s', (version) => {
  it('each get their own run back where two work in one project', async (context) => {
    const { expect } = context;
    const files = {
      'docs/Alpha.md': 'RULE-OF-Alpha\n',
      'docs/Beta.md': 'RULE-OF-Beta\n',
    };
    const host = await openHost(version, context, { files });
    const work = async (name: string) => {
      const start = doHoldfast(
        'start',
        name,
        '--phases',
        'A,B',
        '--read',
        `docs/${name}.md`,
      );
      const prompt = `go on with ${name}`;
      const { sessionId } = await host.print([start, '/compact', prompt]);
      return {
        sessionId,
        next: host.model.turns().find((turn) => given(turn).includes(prompt)),
      };
    };

    const [alpha, beta] = await Promise.all([work('Alpha'), work('Beta')]);

    expect(restoredIn(alpha.next)).toEqual(['Alpha, Phase 1/2']);
    expect(guidanceIn(alpha.next)).toContain('RULE-OF-Alpha');
    expect(given(alpha.next).includes('RULE-OF-Beta')).toBe(false);
    expect(restoredIn(beta.next)).toEqual(['Beta, Phase 1/2']);
    expect(guidanceIn(beta.next)).toContain('RULE-OF-Beta');
    expect(given(beta.next).includes('RULE-OF-Alpha')).toBe(false);
    for (const [workflow, { sessionId }] of [
      ['Alpha', alpha] as const,
      ['Beta', beta] as const,
    ]) {
      const { run } = await statusFor(host, { session: sessionId });
      expect(run).toMatchObject({
        workflow,
        sessions: { current_session_id: sessionId },
        context_metadata: { compaction_count: 1 },
      });
    }
  });

  it('that are fresh are told in three lines what there is, or nothing if unattended', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context);
    for (const name of ['One', 'Two', 'Three', 'Four'])
      await holdfast(host, ['start', name]);
    const before = contents(host.project.root);

    await host.print('hello');

    const [first] = host.model.turns();
    expect(restoredIn(first)).toEqual([]);
    const [offer = '', ...more] = noticesIn(first);
    expect(more).toEqual([]);
    // Only the newer client says that nobody attends it.
    if (version === '2.1.325') expect(offer).toBe('');
    else
      expect(offer).toMatch(
        /^(In progress here: .+`holdfast resume .+\n){2}… 2 more.*$/,
      );
    expect(contents(host.project.root)).toEqual(before);
  });

  it('keep their run as it is while a sub-agent reads and works', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context);
    const { root } = host.project;
    const start = doHoldfast(
      'start',
      'Parent',
      '--phases',
      'A,B',
      '--read',
      'docs/RULES.md',
    );
    const { sessionId } = await host.print(start);
    const before = onlyRun(root);

    const read = `DO:READ ${host.project.path('docs/RULES.md')}`;
    await host.print(`DO:AGENT ${read} THEN DO:BASH echo sub`, {
      resume: sessionId,
    });

    expect(host.model.turns().filter(isSubAgent)).toHaveLength(3);
    expect(host.model.turns().filter(isSubAgent).flatMap(noticesIn)).toEqual(
      [],
    );
    expect(lasting(onlyRun(root))).toEqual(lasting(before));
    const { reading } = await statusFor(host, { session: sessionId });
    expect(reading).toEqual([{ path: '@docs/RULES.md', state: 'unread' }]);
  });

  it('tell hooks their id and folder in the environment as in the input, forks and sub-agents too', async (context) => {
    const { expect } = context;
    const recorder = await createRecorder();
    context.onTestFinished(() => recorder.remove());
    const events = [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PreCompact',
    ];
    const later = ['PostCompact', 'SubagentStart', 'SessionEnd'];
    const replies = Object.fromEntries(
      [...events, ...later].map((event) => [event, null]),
    );
    const settings = { hooks: recorder.hooks(replies) };
    const host = await openHost(version, context, {
      files: { '.claude/settings.json': settings },
    });

    const { sessionId } = await host.print(['DO:BASH echo first', '/compact']);
    const fork = await host.print('DO:AGENT DO:BASH echo sub', {
      resume: sessionId,
      fork: true,
    });

    const calls = await recorder.calls();
    expect(new Set(calls.map(({ input }) => input.session_id))).toEqual(
      new Set([sessionId, fork.sessionId]),
    );
    expect(new Set(calls.map(({ input }) => input.hook_event_name))).toEqual(
      new Set([...events, ...later]),
    );
    for (const { env, folder, input } of calls)
      expect([
        input.hook_event_name,
        env['CLAUDE_CODE_SESSION_ID'],
        folder,
      ]).toEqual([input.hook_event_name, input.session_id, input.cwd]);
  });

  it('keep their run while a sub-agent is compacted, and get it back later', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, {
      answer: (request) =>
        isSubAgent(request)
          ? { ...obey(request), inputTokens: 150_000 }
          : obey(request),
      env: SMALL_WINDOW,
    });
    const { root } = host.project;
    const { sessionId } = await host.print(
      doHoldfast('start', 'Parent', '--phases', 'A,B'),
    );
    const before = onlyRun(root);

    const read = `DO:READ ${host.project.path('docs/RULES.md')}`;
    await host.print(`DO:AGENT ${read} THEN ${read} THEN ${read}`, {
      resume: sessionId,
    });
    expect(host.model.summaries().some(isSubAgent)).toBe(true);
    const after = onlyRun(root);
    await host.print(['/compact', 'go on'], { resume: sessionId });

    expect([
      after.phase,
      after.status,
      after.sessions?.current_session_id,
    ]).toEqual([before.phase, 'in_progress', sessionId]);
    // The older client does not tell a sub-agent's compaction from its parent's.
    if (version === '2.1.325') expect(lasting(after)).toEqual(lasting(before));
    expect(restoredIn(host.model.turns().at(-1))).toEqual([
      'Parent, Phase 1/2',
    ]);
  });
});

function contents(root: string): readonly string[] {
  return stateFiles(root).map((path) =>
    readFileSync(`${root}/${path}`, 'utf8'),
  );
}

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
