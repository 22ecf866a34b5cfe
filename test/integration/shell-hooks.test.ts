import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookEvents } from '../../src/install/hooks.ts';
import { shellQuote } from '../../src/text/shell-commands.ts';
import { runOther, sandbox, type Sandbox } from '../support/cli.ts';
import { recorded } from '../support/hooks.ts';
import { openServer } from '../support/mcp.ts';
import { onlyRun, stateFiles, writeTree } from '../support/state.ts';

/** Those of them that this machine has. */
const SHELLS = [
  ['dash'],
  ['bash'],
  ['bash', '--posix'],
  ['zsh'],
  ['busybox', 'sh'],
].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
);

const PAYLOADS: Record<string, string> = {
  SessionStart: 'sessionstart-startup',
  PreCompact: 'precompact-auto',
  PostCompact: 'postcompact-auto',
  SessionEnd: 'sessionend-other',
  UserPromptSubmit: 'userpromptsubmit',
  PostToolUse: 'posttooluse-read',
  SubagentStart: 'subagentstart',
  PreToolUse: 'pretooluse-bash',
};

interface Fired {
  code: number | null;
  stdout: string;
  stderr: string;
  /** How often Node was started. */
  starts: number;
}

interface FireOptions {
  shell?: readonly string[];
  payload?: string;
  changes?: object;
  env?: Record<string, string>;
  cwd?: string;
  scope?: 'local' | 'user' | 'project';
}

function commandOf(
  { root, home }: Sandbox,
  event: string,
  scope = 'local',
): string {
  const path = {
    local: join(root, '.claude/settings.local.json'),
    project: join(root, '.claude/settings.json'),
    user: join(home, '.claude/settings.json'),
  }[scope];
  return JSON.parse(readFileSync(path ?? '', 'utf8')).hooks[event][0].hooks[0]
    .command;
}

let prompts = 0;

/** Runs the registered command in a shell whose PATH has a Node that counts its starts. */
function fire(box: Sandbox, event: string, options: FireOptions = {}): Fired {
  const {
    shell = ['sh'],
    changes = {},
    env = {},
    cwd = box.root,
    scope,
  } = options;
  const folder = mkdtempSync(join(box.home, '..', 'node-'));
  const log = join(folder, 'starts');
  const lines = [
    '#!/bin/sh',
    `echo x >>${shellQuote(log)}`,
    `exec '${process.execPath}' "$@"`,
  ];
  writeFileSync(join(folder, 'node'), `${lines.join('\n')}\n`, { mode: 0o755 });
  prompts += 1;
  const fields = {
    session_id: 's1',
    cwd,
    prompt_id: `p${prompts}`,
    ...changes,
  };
  const [program = '', ...words] = shell;
  const { code, stdout, stderr } = runOther(
    program,
    [...words, '-c', commandOf(box, event, scope)],
    {
      cwd,
      input:
        options.payload ??
        recorded(PAYLOADS[event] ?? 'userpromptsubmit', fields),
      env: {
        PATH: `${folder}:${process.env['PATH']}`,
        HOME: box.home,
        // Other hosts than Claude Code have no such variable.
        ...(options.payload === undefined
          ? { CLAUDE_CODE_SESSION_ID: fields.session_id }
          : {}),
        ...env,
      },
    },
  );
  const starts = existsSync(log) ? statSync(log).size / 2 : 0;
  return { code, stdout, stderr, starts };
}

const NOTHING = { code: 0, stdout: '', stderr: '', starts: 0 };
const BLOCKING = {
  '.claude/holdfast.json': '{"reading": {"enforce": "block"}}',
};

function installed(
  tree: Record<string, string> = {},
  scope = 'local',
): Sandbox {
  const box = sandbox(tree);
  expect(box.run(['init', '--scope', scope]).code).toBe(0);
  return box;
}

/** A run that s1 holds and that a compaction has restored. */
function restored(read: string[] = []): Sandbox {
  const box = installed({
    'docs/big.md': 'x'.repeat(5_000),
    'docs/small.md': 'small\n',
  });
  const reading = read.flatMap((path) => ['--read', path]);
  box.run(['start', 'Shop', '--phases', 'A,B', ...reading], { session: 's1' });
  const compact = { changes: { source: 'compact' } };
  expect(fire(box, 'PreCompact')).toMatchObject({ starts: 1, stderr: '' });
  expect(fire(box, 'SessionStart', compact).stdout).toContain('Workflow: Shop');
  return box;
}

describe('the registered command', () => {
  it('is one short line for each event, without arguments, in every scope', () => {
    const box = sandbox(BLOCKING);
    for (const scope of ['local', 'project', 'user']) {
      box.run(['init', '--scope', scope]);
      for (const event of hookEvents()) {
        const line = commandOf(box, event, scope);
        expect(line.length, line).toBeLessThanOrEqual(160);
        expect(line).not.toContain('\n');
      }
    }
    const plugin = JSON.parse(readFileSync('hooks/hooks.json', 'utf8')).hooks;
    const words = Object.entries<{ hooks: object[] }[]>(plugin).flatMap(
      ([event, groups]) =>
        groups.map((group, at) => ({
          event,
          group,
          word: at === 0 ? event : 'ExitPlanMode',
        })),
    );
    for (const { event, group, word } of words)
      expect(group.hooks).toEqual([
        {
          type: 'command',
          ...(event === 'PreToolUse' ? { if: 'Bash(*holdfast*)' } : {}),
          ...(event === 'FileChanged' ? { asyncRewake: true } : {}),
          command: `e=${event === 'PreToolUse' ? 'Permission' : word}; f="\${CLAUDE_PLUGIN_ROOT}/bin/hook.sh"; [ -r "$f" ] && . "$f"; :`,
          timeout: expect.any(Number),
        },
      ]);
  });

  /** The result in each shell, by its name. */
  const inEveryShell = (
    hook: (shell: readonly string[]) => Fired,
  ): Record<string, Fired> =>
    Object.fromEntries(SHELLS.map((shell) => [shell.join(' '), hook(shell)]));
  const all = (expected: unknown): Record<string, unknown> =>
    Object.fromEntries(SHELLS.map((shell) => [shell.join(' '), expected]));

  it(`runs in every shell: ${SHELLS.map((words) => words.join(' ')).join(', ')}`, () => {
    const box = installed();
    const prompted = () =>
      inEveryShell((shell) => fire(box, 'UserPromptSubmit', { shell }));
    expect(prompted()).toEqual(all(NOTHING));
    box.run(['start', 'Shop'], { session: 's1' });
    const changes = { source: 'compact' };
    expect(
      inEveryShell((shell) => fire(box, 'SessionStart', { shell, changes })),
    ).toEqual(
      all({
        code: 0,
        stdout: expect.stringContaining('Workflow: Shop'),
        stderr: '',
        starts: 1,
      }),
    );
    expect(prompted()).toEqual(all(NOTHING));
    rmSync(join(box.home, '.claude'), { recursive: true });
    expect(
      inEveryShell((shell) => fire(box, 'SessionStart', { shell })),
    ).toEqual(all(NOTHING));
  });

  it('of a project runs in every shell, and is silent for a colleague', () => {
    const box = installed({}, 'project');
    box.run(['start', 'Shop'], { session: 's1' });
    const options = {
      scope: 'project',
      env: { CLAUDE_PROJECT_DIR: box.root },
    } as const;
    const started = () =>
      inEveryShell((shell) => fire(box, 'SessionStart', { ...options, shell }));
    expect(started()).toMatchObject(
      all({ stdout: expect.stringContaining('Shop') }),
    );
    rmSync(join(box.home, '.claude'), { recursive: true });
    expect(started()).toEqual(all(NOTHING));
  });

  it('works where home and project are in a folder with any letters', () => {
    const box = sandbox();
    const base = join(
      box.home,
      '..',
      'it’s o\'neill "quoted" $(name) ünï–ço∂é back\\slash',
    );
    mkdirSync(base);
    const moved = {
      ...box,
      root: join(base, 'project'),
      home: join(base, 'home'),
    };
    renameSync(box.root, moved.root);
    renameSync(box.home, moved.home);
    const at = { cwd: moved.root, env: { HOME: moved.home } };
    box.run(['init'], at);
    box.run(['start', 'Shop'], { ...at, session: 's1' });
    const start = fire(moved, 'SessionStart', {
      changes: { source: 'compact' },
    });
    expect(start).toMatchObject({ code: 0, stderr: '' });
    expect(start.stdout).toContain('Workflow: Shop');
    expect(fire(moved, 'UserPromptSubmit')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('finds the Node that ran init where the PATH has none', () => {
    const box = installed();
    box.run(['start', 'Shop'], { session: 's1' });
    const bin = join(box.home, 'bin');
    mkdirSync(bin);
    for (const name of ['sh', 'cat'])
      symlinkSync(runOther('which', [name], {}).stdout.trim(), join(bin, name));
    const env = { PATH: bin };
    const compact = {
      changes: { source: 'compact' },
      env,
      shell: [join(bin, 'sh')],
    };
    expect(fire(box, 'SessionStart', compact).stdout).toContain(
      'Workflow: Shop',
    );
    writeFileSync(
      join(box.home, '.claude/holdfast/bin/node-path'),
      '/gone/node\n',
    );
    expect(fire(box, 'SessionStart', compact)).toEqual(NOTHING);
  });

  it('does nothing with HOLDFAST=off', () => {
    expect(
      fire(restored(), 'SessionStart', { env: { HOLDFAST: 'off' } }),
    ).toEqual(NOTHING);
  });

  it('hands over the whole input, however long it is', () => {
    const box = installed();
    box.run(['start', 'Shop'], { session: 's1' });
    box.run(['fill', '--percent', '71'], { session: 's1' });
    const prompt = `${'“long” \\n "quoted" '.repeat(20_000)}end`;
    const log = join(box.root, 'untracked/workflow-state/holdfast.log');
    expect(
      fire(box, 'UserPromptSubmit', { changes: { prompt } }),
    ).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('71 %'),
      stderr: '',
    });
    expect(existsSync(log)).toBe(false);
  });
});

describe('a call of holdfast', () => {
  const reply = (decision: string): object => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: expect.stringMatching(/^holdfast /),
    },
  });
  const asked = (
    box: Sandbox,
    command: string,
    options: FireOptions = {},
  ): Fired =>
    fire(box, 'PreToolUse', {
      ...options,
      changes: {
        tool_input: { command, description: 'scripted' },
        ...options.changes,
      },
    });

  it('is decided about in an idle project, in which nothing is written', () => {
    const box = installed();
    for (const [command, decision] of [
      ['holdfast status', 'allow'],
      ["holdfast advance --output - <<'EOF'\nit's done\nEOF", 'allow'],
      ['holdfast cancel x --reason y', 'ask'],
      ['holdfast resume x --force', 'ask'],
    ] as const) {
      const { stdout, ...rest } = asked(box, command);
      expect(rest).toEqual({ code: 0, stderr: '', starts: 1 });
      expect(JSON.parse(stdout), command).toEqual(reply(decision));
    }
    for (const command of [
      'holdfast status && touch x',
      'holdfast export',
      'echo hi',
    ])
      expect(asked(box, command), command).toEqual({ ...NOTHING, starts: 1 });
    expect(readdirSync(box.root).toSorted()).toEqual(['.claude', '.git']);
    expect(readdirSync(join(box.home, '.claude/holdfast'))).not.toContain(
      'sessions',
    );
  });

  it('of a sub-agent, or in whatever shell, is the same; HOLDFAST=off leaves it to the client', () => {
    const box = installed();
    const changes = { agent_id: 'a1', agent_type: 'general-purpose' };
    expect(
      JSON.parse(asked(box, 'holdfast status', { changes }).stdout),
    ).toEqual(reply('allow'));
    for (const shell of SHELLS)
      expect(
        JSON.parse(asked(box, 'holdfast trust x', { shell }).stdout),
      ).toEqual(reply('ask'));
    expect(asked(box, 'holdfast status', { env: { HOLDFAST: 'off' } })).toEqual(
      NOTHING,
    );
  });

  it('that leaves the sandbox of the client is not allowed for it, and asked about as ever', () => {
    const box = installed();
    const outside = (command: string): Fired =>
      asked(box, command, {
        changes: { tool_input: { command, dangerouslyDisableSandbox: true } },
      });
    expect(outside('holdfast advance')).toEqual({ ...NOTHING, starts: 1 });
    expect(JSON.parse(outside('holdfast trust x').stdout)).toEqual(
      reply('ask'),
    );
  });

  it('is decided about beside the hook for edits, also by the one command of Windows', () => {
    const box = installed(BLOCKING);
    const path = join(box.root, '.claude/settings.local.json');
    const { PreToolUse: groups } = JSON.parse(readFileSync(path, 'utf8')).hooks;
    expect(groups).toHaveLength(2);
    expect(groups[1].hooks[0].command).toContain('e=Permission;');
    const input = recorded('pretooluse-bash', {
      tool_input: { command: 'holdfast status' },
    });
    const child = box.run(['hook'], { input });
    expect(JSON.parse(child.stdout)).toEqual(reply('allow'));
  });
});

describe('no event starts Node', () => {
  it('in an idle project', () => {
    const box = installed(BLOCKING);
    rmSync(join(box.root, '.claude/holdfast.json'));
    for (const event of hookEvents()) {
      expect(fire(box, event), event).toEqual(NOTHING);
      expect(readdirSync(box.root).toSorted(), event).toEqual([
        '.claude',
        '.git',
      ]);
    }
  });

  it('where the local file has other notes; one that may declare a workflow is read at once', () => {
    const box = installed({ 'CLAUDE.local.md': 'notes\n' });
    for (const event of ['SessionStart', 'PreCompact', 'PostCompact'])
      expect(fire(box, event), event).toEqual(NOTHING);
    writeTree(box.root, {
      'CLAUDE.local.md': 'notes\n# WORKFLOW state\nno more',
    });
    for (const event of ['SessionStart', 'PreCompact'])
      expect(fire(box, event).starts).toBe(1);
    for (const event of ['UserPromptSubmit', 'PostToolUse', 'SessionEnd'])
      expect(fire(box, event), event).toEqual(NOTHING);
  });

  it('unless a session has to be told that a source has ended its last run', () => {
    const plan = 'CLAUDE/Plan/1-shop/PLAN.md';
    const text = '# Shop\n\nStatus: In Progress\n\n## Phase 1: A\n- [ ] a\n';
    const box = installed({ [plan]: text });
    fire(box, 'PreCompact');
    expect(onlyRun(box.root)).toMatchObject({
      sessions: { current_session_id: 's1' },
    });
    rmSync(join(box.root, 'CLAUDE'), { recursive: true });
    box.run(['hook'], {
      input: recorded('sessionstart-startup', {
        cwd: box.root,
        session_id: 's2',
      }),
    });
    expect(stateFiles(box.root)).toEqual([]);
    expect(fire(box, 'UserPromptSubmit').stdout).toContain(
      'was gone, so its run has ended',
    );
    expect(fire(box, 'UserPromptSubmit')).toEqual(NOTHING);
  });

  it('after all runs were completed', () => {
    const box = installed();
    box.run(['start', 'Shop'], { session: 's1' });
    box.run(['complete'], { session: 's1' });
    const other = { changes: { session_id: 's2' } };
    for (const event of [
      'SessionStart',
      'PreCompact',
      'UserPromptSubmit',
      'PostCompact',
    ])
      expect(fire(box, event, other)).toEqual(NOTHING);
    for (const event of ['PostToolUse', 'PostToolUse', 'UserPromptSubmit'])
      fire(box, event);
    expect(fire(box, 'PostToolUse')).toEqual(NOTHING);
  });

  it('of a session for which nothing is due; its file shows that it is live', () => {
    const box = restored();
    const before = readFileSync(
      join(box.root, stateFiles(box.root)[0] ?? ''),
      'utf8',
    );
    for (const event of ['UserPromptSubmit', 'PostToolUse', 'UserPromptSubmit'])
      expect(fire(box, event)).toEqual(NOTHING);
    expect(
      readFileSync(join(box.root, stateFiles(box.root)[0] ?? ''), 'utf8'),
    ).toBe(before);
    const path = join(box.root, stateFiles(box.root)[0] ?? '');
    const long = /"(last_seen_at|started_at)": "[^"]*"/g;
    writeFileSync(
      path,
      before.replaceAll(long, '"$1": "2026-01-01T00:00:00.000Z"'),
    );
    expect(box.run(['status']).stdout).toMatch(
      /Held by {2}session s1, seen just now/,
    );
    const taking = box.run(['resume', 'shop'], { code: 1, session: 's2' });
    expect(taking).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('last seen just now'),
    });
  });

  it('of a session that holds no run in a project with one, but for its end', () => {
    const box = restored();
    const other = { changes: { session_id: 's2' } };
    expect(fire(box, 'SessionStart', other).starts).toBe(1);
    for (const event of ['UserPromptSubmit', 'PostToolUse'])
      expect(fire(box, event, other)).toEqual(NOTHING);
    expect(fire(box, 'SessionEnd', other)).toEqual({ ...NOTHING, starts: 1 });
  });
});

/** `before` is cleared and `after` follows it; how often Node was started for both. */
function clear(
  box: Sandbox,
  before: string,
  after: string,
  cwd = box.root,
): number {
  const end = { session_id: before, reason: 'clear' };
  const start = { session_id: after, source: 'clear' };
  const env = { CLAUDE_PID: String(process.pid) };
  const ended = fire(box, 'SessionEnd', { changes: end, cwd, env });
  const started = fire(box, 'SessionStart', { changes: start, cwd, env });
  expect([ended, started]).toMatchObject([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ]);
  return ended.starts + started.starts;
}

describe('a /clear starts Node', () => {
  it('not in an idle project', () => {
    const box = installed();
    expect(clear(box, 's1', 's2')).toBe(0);
    expect(clear(box, 's2', 's3')).toBe(0);
    expect(existsSync(join(box.home, '.claude/holdfast/sessions'))).toBe(false);
  });

  it('in an idle folder, if the session holds a run elsewhere', () => {
    const box = installed();
    box.run(['start', 'Shop'], { session: 's1' });
    const cwd = join(box.home, 'elsewhere');
    mkdirSync(join(cwd, '.git'), { recursive: true });
    expect(clear(box, 's1', 's2', cwd)).toBe(2);
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s2');
  });

  it('if an MCP server works for the session: its tools follow every clear', async () => {
    const box = installed();
    const { ask, reply } = await openServer(box, { session: 's1' });
    await ask('tools/list');
    expect(clear(box, 's1', 's2')).toBe(2);
    expect(clear(box, 's2', 's3')).toBe(2);
    expect(clear(box, 'another', 'one-more')).toBe(0);
    await reply('workflow_start', { name: 'Shop' });
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s3');
  });
});

describe('an event starts Node', () => {
  it('while required files are unread: each Read, and the prompt that reminds once', () => {
    const box = restored(['docs/big.md', 'docs/small.md']);
    const reminder = fire(box, 'UserPromptSubmit');
    expect(reminder.stdout).toContain('@docs/big.md');
    expect(fire(box, 'UserPromptSubmit')).toEqual(NOTHING);
    const read = {
      tool_input: { file_path: join(box.root, 'docs/big.md') },
      tool_response: {},
    };
    expect(fire(box, 'PostToolUse', { changes: read }).starts).toBe(1);
    const inContext = onlyRun(box.root).context_metadata?.artifacts_in_context;
    expect(inContext?.map((entry) => entry.artifact_id)).toContain(
      '@docs/big.md',
    );
    expect(fire(box, 'PostToolUse', { changes: read })).toEqual(NOTHING);
    writeTree(box.root, { 'docs/big.md': 'changed' });
    expect(box.run(['status'], { session: 's1' }).stdout).toContain('changed');
    expect(fire(box, 'PostToolUse', { changes: read }).starts).toBe(1);
    expect(box.run(['status'], { session: 's1' }).stdout).not.toContain(
      'changed',
    );
  });

  it('when somebody else has changed the run, and then no more', () => {
    const box = restored();
    box.run(['update', '--remind', 'new rule']);
    expect(fire(box, 'UserPromptSubmit').stdout).toContain(
      'by the user, changed Shop',
    );
    expect(fire(box, 'UserPromptSubmit')).toEqual(NOTHING);
  });
});

describe('other hosts that read the settings', () => {
  const common = (root: string): Record<string, unknown> => ({
    cwd: root,
    timestamp: 1_760_000_000_000,
  });
  it.each([
    [
      'Copilot CLI',
      { sessionId: 'c1', source: 'startup', initialPrompt: 'hello' },
    ],
    [
      'Cursor',
      {
        conversation_id: 'u1',
        hook_event_name: 'sessionStart',
        workspace_roots: ['/x'],
      },
    ],
  ])(
    '%s gets a correct reply or none, and changes nothing',
    (_host, fields) => {
      const box = installed({}, 'project');
      const options = (more: object = {}): FireOptions => ({
        scope: 'project',
        payload: JSON.stringify({ ...common(box.root), ...fields, ...more }),
      });
      box.run(['start', 'Shop']);
      const before = readFileSync(
        join(box.root, stateFiles(box.root)[0] ?? ''),
        'utf8',
      );
      const start = fire(box, 'SessionStart', options());
      expect(start).toMatchObject({ code: 0, stderr: '' });
      expect(
        JSON.parse(start.stdout).hookSpecificOutput.additionalContext,
      ).toContain('In progress here: Shop');
      for (const event of ['UserPromptSubmit', 'PostToolUse', 'SessionEnd'])
        expect(
          fire(box, event, options({ toolName: 'view', toolArgs: '{}' })),
        ).toMatchObject({
          code: 0,
          stdout: '',
          stderr: '',
        });
      expect(
        readFileSync(join(box.root, stateFiles(box.root)[0] ?? ''), 'utf8'),
      ).toBe(before);
    },
  );
});

it.each([
  [
    '.taskmaster/tasks/tasks.json',
    '{"tasks": [{"id": 1, "title": "Dig", "status": "in-progress"}]}',
  ],
  [
    'docs/sprint-artifacts/sprint-status.yaml',
    'development_status:\n  epic-1: in-progress\n  1-1-dig: in-progress\n',
  ],
  [
    '.specify/specs/001-a/tasks.md',
    '# Tasks: A\n## Phase 1: Dig\n- [x] T1 a\n- [ ] T2 b\n',
  ],
])('the shell starts holdfast where there is only %s', (path, text) => {
  const box = installed({ [path]: text }, 'project');
  const start = fire(box, 'SessionStart', {
    scope: 'project',
    payload: JSON.stringify({
      session_id: 's1',
      transcript_path: '/nowhere',
      cwd: box.root,
      hook_event_name: 'SessionStart',
      source: 'startup',
    }),
  });
  expect(start).toMatchObject({ code: 0, stderr: '' });
  expect(start.stdout).toContain(`declared in ${path}`);
});
