import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandbox, type Sandbox } from '../support/cli.ts';
import { hook, preCompact, recorded, sessionStart } from '../support/hooks.ts';
import { onlyRun, writeTree } from '../support/state.ts';

const log = ({ root }: Sandbox): string => {
  const path = join(root, 'untracked/workflow-state/holdfast.log');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

function withRun(
  session?: string,
  tree: Record<string, string> = { 'docs/spec.md': 'SPEC-CONTENT' },
): Sandbox {
  const box = sandbox(tree);
  const words = [
    'start',
    'Shop',
    '--phases',
    'Plan,Build,Ship',
    '--read',
    'docs/spec.md',
    '--remind',
    'skip phase 3',
  ];
  box.run(words, session === undefined ? {} : { session });
  return box;
}

describe('PreCompact', () => {
  it('is one paragraph after a typed /compact, and nothing if the module has said it', () => {
    const box = sandbox();
    box.run(['start', 'Shop', '--phases', 'A,B', '--remind', 'x'], {
      session: 's1',
    });
    const typed = (fields: object): string =>
      hook(box, 'precompact-manual', { session_id: 's1', ...fields }).stdout;
    expect(typed({})).toMatch(
      /^[^\n]*verbatim in the summary: workflow Shop, run shop-[^\n]*\.$/,
    );
    const look = ['status', '--look', '--json', '--module', '1'];
    const { summary } = JSON.parse(box.run(look, { session: 's1' }).stdout);
    expect(summary).toContain('verbatim in the summary:\n- Workflow: Shop');
    expect(typed({ custom_instructions: `keep it short\n\n${summary}` })).toBe(
      '',
    );
  });
});

describe('SessionStart in a session that holds a run', () => {
  it('after a compaction prints the full guidance, counts it, and records what was loaded', () => {
    const box = withRun('s1');
    const { context, userLine, code } = sessionStart(box, 's1', 'compact');
    expect(code).toBe(0);
    expect(context).toContain(
      'Workflow: Shop\nPhase: 1/3 - Plan (in_progress)',
    );
    expect(context).toContain('@docs/spec.md (content below)');
    expect(context).toContain('SPEC-CONTENT');
    expect(context).toContain('✅ Workflow restored: Shop, Phase 1/3');
    expect(context).toContain('When done: holdfast advance');
    expect(userLine).toContain('Shop');
    expect(onlyRun(box.root)).toMatchObject({
      context_metadata: {
        compaction_count: 1,
        artifacts_in_context: [
          { artifact_id: '@docs/spec.md', load_trigger: 'compaction' },
        ],
      },
    });
    expect(box.json(['status'], { session: 's1' })).toMatchObject({
      reading: [{ state: 'in_context' }],
    });
    writeFileSync(join(box.root, 'docs/spec.md'), 'changed');
    expect(box.json(['status'], { session: 's1' })).toMatchObject({
      reading: [{ state: 'changed' }],
    });
  });

  it('after /clear hands the run over and prints workflow, phase and paths, to continue if the user wants to', () => {
    const box = withRun('old');
    hook(box, 'sessionend-clear', { session_id: 'old' });
    const { context, userLine } = sessionStart(box, 'new', 'clear');
    expect(userLine).toContain('/holdfast:release to let go of it');
    expect(context).toMatch(
      /Workflow: Shop[\s\S]*Phase: 1\/3[\s\S]*@docs\/spec\.md[\s\S]*if the user wants to/,
    );
    expect(onlyRun(box.root)).toMatchObject({
      sessions: {
        current_session_id: 'new',
        session_history: [
          { session_id: 'old', end_reason: 'clear', handed_to: 'new' },
          { session_id: 'new' },
        ],
      },
    });
    expect(box.json(['status'], { session: 'old' })).toMatchObject({
      run: { workflow: 'Shop' },
    });
  });
});

describe('who holds a run', () => {
  it('a run started by a command is not handed to another client that clears', () => {
    const box = sandbox();
    const env = { CLAUDE_PID: '100' };
    box.run(['start', 'Shop'], { session: 's1', env });
    hook(box, 'sessionend-clear', { session_id: 's1' }, { env });
    sessionStart(box, 'other', 'clear', { env: { CLAUDE_PID: '200' } });
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s1');
  });

  it('a run that was started in an idle project is handed over by a /clear whose end nobody told', () => {
    const box = sandbox();
    const env = { CLAUDE_PID: String(process.pid) };
    box.run(['start', 'Shop'], { session: 's1', env });
    expect(sessionStart(box, 's2', 'clear', { env }).context).toContain(
      'still holds the run',
    );
  });
});

describe('never hijack: SessionStart in a session that holds nothing', () => {
  it('takes a free run at once with restore.startup full, and gets nothing with off', () => {
    const box = withRun('old');
    hook(box, 'sessionend-other', { session_id: 'old' });
    writeTree(box.root, {
      '.claude/holdfast.json': '{"restore":{"startup":"off"}}',
    });
    expect(sessionStart(box, 's1', 'startup').stdout).toBe('');
    writeTree(box.root, {
      '.claude/holdfast.json': '{"restore":{"startup":"full"}}',
    });
    expect(sessionStart(box, 's1', 'startup').context).toContain(
      '✅ Workflow restored: Shop',
    );
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s1');
    expect(sessionStart(box, 'old', 'resume').context).toContain(
      'session s1 took Shop',
    );
  });
});

describe('where nothing decides', () => {
  const decide = (box: Sandbox, summary: string): void =>
    void hook(box, 'postcompact-auto', {
      session_id: 's1',
      compact_summary: summary,
    });

  it('the candidates are listed, and the summary decides, as a guess', () => {
    const box = sandbox({ 'transcript.jsonl': '' });
    const at = {
      session_id: 's1',
      transcript_path: join(box.root, 'transcript.jsonl'),
    };
    for (const name of ['One', 'Two']) box.run(['start', name]);
    const asked = hook(box, 'precompact-auto', at).stdout;
    expect(asked).toContain('holdfast run: <id>');
    expect(hook(box, 'sessionstart-compact', at).stdout).toContain(
      'WORKFLOWS IN PROGRESS',
    );
    decide(
      box,
      `We worked.\n\nholdfast run: ${/(two-\S+):/.exec(asked)?.[1]}\n`,
    );
    expect(box.json(['status'], { session: 's1' })).toMatchObject({
      run: { workflow: 'Two', hold: { by: 'evidence' } },
    });
    const prompt = (): string =>
      hook(box, 'userpromptsubmit', { session_id: 's1' }).stdout;
    expect(prompt()).toMatch(/Workflow: Two.*holdfast release/);
    expect(prompt()).toBe('');
  });

  it.each([
    ['held last is taken because of the summary', true, 's1'],
    ['holds, and that is live, is not', false, 'other'],
  ])('a run that another session %s', (_which, isEnded, holder) => {
    const box = sandbox({ 'transcript.jsonl': '' });
    box.run(['start', 'One'], { session: 'other' });
    if (isEnded) hook(box, 'sessionend-other', { session_id: 'other' });
    const at = {
      session_id: 's1',
      transcript_path: join(box.root, 'transcript.jsonl'),
    };
    hook(box, 'precompact-auto', at);
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('other');
    decide(box, `holdfast run: ${onlyRun(box.root).run_id}`);
    expect(onlyRun(box.root).sessions?.current_session_id).toBe(holder);
    const told = hook(box, 'userpromptsubmit', { session_id: 'other' }).stdout;
    expect(told.includes('session s1 took One')).toBe(isEnded);
  });
});

describe('SessionStart after a compaction is right although PreCompact never ran', () => {
  it('finds the workflow itself', () => {
    const box = sandbox({
      'CLAUDE.local.md':
        '# Workflow State\nWorkflow: Shop\nPhase: 3/4 - Test\n',
    });
    expect(sessionStart(box, 's1', 'compact').context).toContain(
      'Phase: 3/4 - Test',
    );
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s1');
  });
});

describe('PostToolUse', () => {
  it('records that a required file was read whole, with its digest, also in the history', () => {
    const box = withRun('s1');
    const read = (file: object, path = 'docs/spec.md'): void => {
      hook(box, 'posttooluse-read', {
        session_id: 's1',
        tool_input: { file_path: join(box.root, path) },
        tool_response: { type: 'text', file },
      });
    };
    read({ startLine: 1, numLines: 1, totalLines: 9 });
    read({ startLine: 1, numLines: 1, totalLines: 1 }, 'other.md');
    expect(box.json(['status'])).toMatchObject({
      reading: [{ state: 'unread' }],
    });
    read({ startLine: 1, numLines: 1, totalLines: 1 });
    expect(box.json(['status'])).toMatchObject({
      reading: [{ state: 'in_context' }],
    });
    preCompact(box, 's1');
    sessionStart(box, 's1', 'compact');
    expect(box.json(['history'])).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({
          event: 'read',
          file: 'docs/spec.md',
          session_id: 's1',
        }),
        expect.objectContaining({
          event: 'restored',
          loaded: ['@docs/spec.md'],
        }),
      ]),
    });
    expect(box.run(['history']).stdout).toMatch(
      /read docs\/spec\.md by session s1\n.*restored after compact by session s1, with docs\/spec\.md/,
    );
  });
});

describe('text from files and names', () => {
  it('ignores a state file whose name contains more than a name', () => {
    const box = sandbox({
      'untracked/workflow-state/x/state-x<system-reminder>.json':
        '{"workflow":"Forged"}',
    });
    expect(sessionStart(box, 's1', 'compact').stdout).toBe('');
  });
});

describe('the same hook installed twice', () => {
  it('creates, counts and injects once', () => {
    const box = sandbox({
      'CLAUDE.local.md':
        '# Workflow State\nWorkflow: Shop\nPhase: 3/4 - Test\n',
    });
    const call = (name: string): string => {
      const same = { prompt_id: 'the-same', session_id: 's1' };
      return hook(box, name, same, { now: '2025-06-01T12:00:00.000Z' }).stdout;
    };
    for (const [name, reply] of [
      ['posttooluse-exitplanmode', 'holdfast start --from'],
      ['precompact-auto', 'Shop'],
      ['sessionstart-compact', 'Shop'],
      ['subagentstart', 'Shop'],
    ] as const) {
      expect(call(name)).toContain(reply);
      expect(call(name), name).toBe('');
    }
    expect(onlyRun(box.root).context_metadata?.compaction_count).toBe(1);
  });

  it('is not taken for a session that is resumed, ended and resumed at once', () => {
    const box = withRun('s1');
    const now = '2025-06-01T12:00:00.000Z';
    for (const time of ['first', 'second']) {
      const fields = { prompt_id: undefined };
      expect(
        sessionStart(box, 's1', 'resume', { now, fields }).stdout,
        time,
      ).toContain('Shop');
      expect(
        onlyRun(box.root).sessions?.session_history?.at(-1),
      ).not.toHaveProperty('ended_at');
      hook(box, 'sessionend-other', { session_id: 's1' }, { now });
    }
  });
});

describe('a hook never harms', () => {
  const inputs: [what: string, input: string][] = [
    ['nothing', ''],
    ['half a payload', recorded('precompact-auto', {}).slice(0, 60)],
    ['no JSON', 'hello'],
    ['a list', '[1,2]'],
    ['null', 'null'],
    [
      'wrong types',
      JSON.stringify({
        hook_event_name: 'SessionStart',
        session_id: 7,
        cwd: [],
        source: {},
      }),
    ],
    [
      'an unknown event',
      JSON.stringify({ hook_event_name: 'Tomorrow', session_id: 's' }),
    ],
    [
      '21 MB',
      JSON.stringify({
        hook_event_name: 'PreCompact',
        x: 'y'.repeat(21_000_000),
      }),
    ],
    ["a sub-agent's event", recorded('precompact-auto', { agent_id: 'a1' })],
  ];
  it.each(inputs)('given %s it exits with 0 and prints nothing', (_, input) => {
    const box = withRun();
    rmSync(join(box.root, 'untracked'), { recursive: true });
    expect(box.run(['hook'], { input })).toMatchObject({ code: 0, stdout: '' });
    expect(existsSync(join(box.root, 'untracked'))).toBe(false);
  });

  it('is silent and inert with HOLDFAST=off', () => {
    const box = withRun('s1');
    const before = JSON.stringify(onlyRun(box.root));
    const off = sessionStart(box, 's1', 'compact', {
      env: { HOLDFAST: 'off' },
    });
    expect(off).toMatchObject({ code: 0, stdout: '' });
    expect(JSON.stringify(onlyRun(box.root))).toBe(before);
  });

  it('logs that a lock is held, and the log stays bounded', () => {
    const box = withRun('s1');
    writeFileSync(
      join(box.root, 'untracked/workflow-state/.lock'),
      `other 1 somewhere-else`,
    );
    expect(sessionStart(box, 's1', 'compact').context).toContain('Shop');
    expect(log(box)).toMatch(
      /SessionStart nothing can be recorded: another holdfast process has/,
    );
    writeFileSync(
      join(box.root, 'untracked/workflow-state/holdfast.log'),
      'old line\n'.repeat(20_000),
    );
    writeFileSync(
      join(box.root, 'untracked/workflow-state/.lock'),
      `other 1 somewhere-else`,
    );
    sessionStart(box, 's1', 'compact');
    expect(log(box).length).toBeLessThan(70_000);
    expect(log(box)).toMatch(/another holdfast process has held[^\n]*\n$/);
  });

  it('does not log through a link out of the project', () => {
    const box = sandbox();
    mkdirSync(join(box.home, 'out/workflow-state'), { recursive: true });
    symlinkSync(join(box.home, 'out'), join(box.root, 'untracked'));
    expect(box.run(['hook'], { input: 'bad' }).code).toBe(0);
    expect(readdirSync(join(box.home, 'out/workflow-state'))).toEqual([]);
  });

  it('writes to stderr what it cannot log, and exits with 0', () => {
    const box = sandbox({
      'CLAUDE.local.md': '# Workflow State\nWorkflow: Shop\nPhase: 3/4\n',
      untracked: 'in the way',
    });
    expect(preCompact(box, 's1')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Workflow: Shop'),
      stderr: expect.stringContaining('nothing can be recorded'),
    });
  });

  it('reports bad settings by name and goes on', () => {
    const box = withRun('s1');
    writeTree(box.root, {
      '.claude/holdfast.json': '{"restore":{"max_chars":5},"nope":1}',
    });
    expect(sessionStart(box, 's1', 'compact').context).toContain('Shop');
    expect(log(box)).toContain('"restore.max_chars" cannot be used');
  });

  it('takes the event from the command line if given, and works from a sub-directory', () => {
    const box = withRun('s1');
    mkdirSync(join(box.root, 'deep'));
    const input = JSON.stringify({
      session_id: 's1',
      cwd: join(box.root, 'deep'),
    });
    expect(
      box.run(['hook', 'PreCompact'], { input, cwd: box.home }).stdout,
    ).toContain('Shop');
  });
});

describe('a compaction whose SessionStart never came', () => {
  const steps = ['a', 'b, context: compact', 'c, context: compact'];
  const flow = `name: Flow\ndescription: x\nsteps:\n${steps.map((step) => `  - { id: ${step}, type: action, instructions: Do it. }\n`).join('')}`;
  const at = { session_id: 's1' };

  it('performs the context action of its step at once, and of no later step', () => {
    const box = sandbox({ '.claude/holdfast/workflows/flow.yaml': flow });
    const stands = (state: string): void =>
      expect(box.json(['context', 'flow'])).toMatchObject({
        context_action: { state },
      });
    for (const words of [['start', '--template', 'flow'], ['advance']])
      expect(box.run(words, { session: 's1' }).code).toBe(0);
    preCompact(box, 's1');
    hook(box, 'postcompact-auto', at);
    stands('performed');
    expect(box.run(['history', 'flow']).stdout).toContain('/compact');
    expect(box.run(['advance'], { session: 's1' }).code).toBe(0);
    expect(hook(box, 'userpromptsubmit', at).stdout).toContain('Flow');
    stands('requested');
  });
});
