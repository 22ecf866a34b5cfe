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
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOK_EVENTS } from '../../src/install/plan/hook-entry.ts';
import { shellQuote } from '../../src/util/shell-quote.ts';
import { runOther, sandbox, type Sandbox } from '../support/cli.ts';
import { recorded } from '../support/hooks.ts';
import { openServer } from '../support/mcp.ts';
import { onlyRun, stateFiles } from '../support/state.ts';

/** Those of them that this machine has. */
const SHELLS = [['dash'], ['bash'], ['bash', '--posix'], ['zsh'], ['busybox', 'sh']].filter(
  ([program = '']) => spawnSync(program, ['--help']).error === undefined,
);

const PAYLOADS: Record<string, string> = {
  SessionStart: 'sessionstart-startup',
  PreCompact: 'precompact-auto',
  PostCompact: 'postcompact-auto',
  SessionEnd: 'sessionend-other',
  UserPromptSubmit: 'userpromptsubmit',
  PostToolUse: 'posttooluse-read',
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
  /** What is run in place of the registered line. */
  change?: (line: string) => string;
  /** How Node is started, in the words of a shell script. */
  node?: string;
}

function commandOf({ root, home }: Sandbox, event: string, scope = 'local'): string {
  const path = {
    local: join(root, '.claude/settings.local.json'),
    project: join(root, '.claude/settings.json'),
    user: join(home, '.claude/settings.json'),
  }[scope];
  return JSON.parse(readFileSync(path ?? '', 'utf8')).hooks[event][0].hooks[0].command;
}

let prompts = 0;

/** Runs the registered command in a shell whose PATH has a Node that counts its starts. */
function fire(box: Sandbox, event: string, options: FireOptions = {}): Fired {
  const { shell = ['sh'], changes = {}, env = {}, cwd = box.root, scope } = options;
  const { change = (line) => line, node = `exec '${process.execPath}' "$@"` } = options;
  const folder = mkdtempSync(join(box.home, '..', 'node-'));
  const log = join(folder, 'starts');
  const lines = ['#!/bin/sh', `echo x >>${shellQuote(log)}`, node];
  writeFileSync(join(folder, 'node'), `${lines.join('\n')}\n`, { mode: 0o755 });
  prompts += 1;
  const fields = { session_id: 's1', cwd, prompt_id: `p${prompts}`, ...changes };
  const [program = '', ...words] = shell;
  const line = change(commandOf(box, event, scope));
  const { code, stdout, stderr } = runOther(program, [...words, '-c', line], {
    cwd,
    input: options.payload ?? recorded(PAYLOADS[event] ?? '', fields),
    env: { PATH: `${folder}:${process.env['PATH']}`, HOME: box.home, ...env },
  });
  const starts = existsSync(log) ? statSync(log).size / 2 : 0;
  return { code, stdout, stderr, starts };
}

const NOTHING = { code: 0, stdout: '', stderr: '', starts: 0 };
const BLOCKING = { '.claude/holdfast.json': '{"reading": {"enforce": "block"}}' };

function dated(time: Date, path: string): void {
  utimesSync(path, time, time);
}

const LONG_AGO = new Date(1_000);

function installed(tree: Record<string, string> = {}, scope = 'local'): Sandbox {
  const box = sandbox(tree);
  expect(box.run(['init', '--scope', scope]).code).toBe(0);
  return box;
}

/** A run that s1 holds and that a compaction has restored. */
function restored(read: string[] = []): Sandbox {
  const box = installed({ 'docs/big.md': 'x'.repeat(5_000), 'docs/small.md': 'small\n' });
  const reading = read.flatMap((path) => ['--read', path]);
  box.run(['start', 'Shop', '--phases', 'A,B', ...reading], { session: 's1' });
  const compact = { changes: { source: 'compact' } };
  expect(fire(box, 'PreCompact')).toMatchObject({ starts: 1, stderr: '' });
  expect(fire(box, 'SessionStart', compact).stdout).toContain('Workflow: Shop');
  return box;
}

function marker({ home }: Sandbox): string {
  const folder = join(home, '.claude/holdfast/sessions/owed');
  const [project = ''] = readdirSync(folder);
  return join(folder, project, 's1');
}

describe('the registered command', () => {
  it('is one short line for each event, without arguments, in every scope', () => {
    const box = sandbox(BLOCKING);
    for (const scope of ['local', 'project', 'user']) {
      box.run(['init', '--scope', scope]);
      for (const event of HOOK_EVENTS) {
        const line = commandOf(box, event, scope);
        expect(line.length, line).toBeLessThanOrEqual(160);
        expect(line).not.toContain('\n');
      }
    }
    const plugin = JSON.parse(readFileSync('hooks/hooks.json', 'utf8')).hooks;
    for (const [event, [group]] of Object.entries<{ hooks: object[] }[]>(plugin))
      expect(group?.hooks).toEqual([
        {
          type: 'command',
          command: `e=${event}; f="\${CLAUDE_PLUGIN_ROOT}/bin/hook.sh"; [ -r "$f" ] && . "$f"; :`,
          timeout: expect.any(Number),
        },
      ]);
  });

  /** The result in each shell, by its name. */
  const inEveryShell = (hook: (shell: readonly string[]) => Fired): Record<string, Fired> =>
    Object.fromEntries(SHELLS.map((shell) => [shell.join(' '), hook(shell)]));
  const all = (expected: unknown): Record<string, unknown> =>
    Object.fromEntries(SHELLS.map((shell) => [shell.join(' '), expected]));

  it(`runs in every shell: ${SHELLS.map((words) => words.join(' ')).join(', ')}`, () => {
    const box = installed();
    const prompted = () => inEveryShell((shell) => fire(box, 'UserPromptSubmit', { shell }));
    expect(prompted()).toEqual(all(NOTHING));
    box.run(['start', 'Shop'], { session: 's1' });
    const changes = { source: 'compact' };
    expect(inEveryShell((shell) => fire(box, 'SessionStart', { shell, changes }))).toEqual(
      all({ code: 0, stdout: expect.stringContaining('Workflow: Shop'), stderr: '', starts: 1 }),
    );
    expect(prompted()).toEqual(all(NOTHING));
    rmSync(join(box.home, '.claude'), { recursive: true });
    expect(inEveryShell((shell) => fire(box, 'SessionStart', { shell }))).toEqual(all(NOTHING));
  });

  it('of a project runs in every shell, and is silent for a colleague', () => {
    const box = installed({}, 'project');
    box.run(['start', 'Shop'], { session: 's1' });
    const options = { scope: 'project', env: { CLAUDE_PROJECT_DIR: box.root } } as const;
    const started = () => inEveryShell((shell) => fire(box, 'SessionStart', { ...options, shell }));
    expect(started()).toMatchObject(all({ stdout: expect.stringContaining('Shop') }));
    rmSync(join(box.home, '.claude'), { recursive: true });
    expect(started()).toEqual(all(NOTHING));
  });

  it.each([['it’s a folder'], ["o'neill"], ['a "quoted" $(name)'], ['ünï–ço∂é'], ['back\\slash']])(
    'works where home and project are in %s',
    (name) => {
      const box = sandbox();
      const base = join(box.home, '..', name);
      mkdirSync(base);
      const moved = { ...box, root: join(base, 'project'), home: join(base, 'home') };
      renameSync(box.root, moved.root);
      renameSync(box.home, moved.home);
      const at = { cwd: moved.root, env: { HOME: moved.home } };
      box.run(['init'], at);
      box.run(['start', 'Shop'], { ...at, session: 's1' });
      const start = fire(moved, 'SessionStart', { changes: { source: 'compact' } });
      expect(start).toMatchObject({ code: 0, stderr: '' });
      expect(start.stdout).toContain('Workflow: Shop');
      expect(fire(moved, 'UserPromptSubmit')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    },
  );

  it('works without HOME, and starts Node then, which knows the home folder otherwise', () => {
    const box = restored();
    const { code, stderr, stdout } = fire(box, 'SessionStart', {
      env: { HOME: '' },
      changes: { source: 'compact' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Workflow: Shop');
  });

  it('finds the Node that ran init where the PATH has none', () => {
    const box = installed();
    box.run(['start', 'Shop'], { session: 's1' });
    const bin = join(box.home, 'bin');
    mkdirSync(bin);
    for (const name of ['sh', 'cat'])
      symlinkSync(runOther('which', [name], {}).stdout.trim(), join(bin, name));
    const env = { PATH: bin };
    const compact = { changes: { source: 'compact' }, env, shell: [join(bin, 'sh')] };
    expect(fire(box, 'SessionStart', compact).stdout).toContain('Workflow: Shop');
    writeFileSync(join(box.home, '.claude/holdfast/bin/node-path'), '/gone/node\n');
    expect(fire(box, 'SessionStart', compact)).toEqual(NOTHING);
  });

  it('exits with 0 where its notes cannot be written, and starts Node', () => {
    for (const shell of SHELLS) {
      const box = restored();
      const note = `${marker(box)}.restored`;
      rmSync(note);
      mkdirSync(join(note, 'x'), { recursive: true });
      const result = fire(box, 'PostCompact', { shell });
      expect(result, shell.join(' ')).toEqual({ ...NOTHING, starts: 1 });
    }
  });

  it.each(['set -u', 'set -e', 'export ZSH_VERSION=5.9'])(
    'works in a shell that starts with `%s`',
    (line) => {
      const box = restored();
      const file = join(box.home, 'bash-env');
      writeFileSync(file, `${line}\n`);
      const options = { shell: ['bash'], env: { BASH_ENV: file } };
      const compact = { ...options, changes: { source: 'compact' } };
      expect(fire(box, 'SessionStart', compact).stdout).toContain('Workflow: Shop');
      for (const event of ['PostCompact', 'UserPromptSubmit', 'PostToolUse'])
        expect(fire(box, event, options), event).toEqual(NOTHING);
      expect(fire(box, 'SessionEnd', options)).toEqual({ ...NOTHING, starts: 1 });
    },
  );

  it('does nothing with HOLDFAST=off', () => {
    expect(fire(restored(), 'SessionStart', { env: { HOLDFAST: 'off' } })).toEqual(NOTHING);
  });

  it('hands over the whole input, however long it is', () => {
    const box = installed();
    box.run(['start', 'Shop'], { session: 's1' });
    const prompt = `${'“long” \\n "quoted" '.repeat(20_000)}end`;
    const log = join(box.root, 'untracked/workflow-state/holdfast.log');
    expect(fire(box, 'UserPromptSubmit', { changes: { prompt } })).toMatchObject({
      code: 0,
      stderr: '',
      starts: 1,
    });
    expect(existsSync(log)).toBe(false);
  });
});

describe('no event starts Node', () => {
  it('in an idle project', () => {
    const box = installed(BLOCKING);
    rmSync(join(box.root, '.claude/holdfast.json'));
    for (const event of HOOK_EVENTS) {
      expect(fire(box, event), event).toEqual(NOTHING);
      expect(readdirSync(box.root).toSorted(), event).toEqual(['.claude', '.git']);
    }
  });

  it('where sources declare nothing and no compaction looks for them', () => {
    const box = installed({ 'CLAUDE.local.md': 'notes\n' });
    for (const event of ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'SessionEnd'])
      expect(fire(box, event)).toEqual(NOTHING);
    expect(fire(box, 'PreCompact').starts).toBe(1);
    expect(fire(box, 'SessionStart', { changes: { source: 'compact' } }).starts).toBe(1);
  });

  it('after all runs were completed', () => {
    const box = installed();
    box.run(['start', 'Shop'], { session: 's1' });
    box.run(['complete'], { session: 's1' });
    for (const event of ['SessionStart', 'PreCompact', 'UserPromptSubmit', 'PostCompact'])
      expect(fire(box, event)).toEqual(NOTHING);
  });

  it('of a session to which nothing is owed; the heartbeat shows that it is live', () => {
    const box = restored();
    const before = readFileSync(join(box.root, stateFiles(box.root)[0] ?? ''), 'utf8');
    expect(fire(box, 'PostCompact')).toEqual(NOTHING);
    for (const event of ['UserPromptSubmit', 'PostToolUse', 'UserPromptSubmit'])
      expect(fire(box, event)).toEqual(NOTHING);
    expect(readFileSync(join(box.root, stateFiles(box.root)[0] ?? ''), 'utf8')).toBe(before);
    expect(existsSync(join(box.home, '.claude/holdfast/sessions/s1.seen'))).toBe(true);
    const path = join(box.root, stateFiles(box.root)[0] ?? '');
    const long = /"(last_seen_at|started_at)": "[^"]*"/g;
    writeFileSync(path, before.replaceAll(long, '"$1": "2026-01-01T00:00:00.000Z"'));
    expect(box.run(['status']).stdout).toMatch(/Held by {2}session s1, seen just now/);
    const taking = box.run(['resume', 'shop'], { code: 1, session: 's2' });
    expect(taking).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('last seen just now'),
    });
  });

  it('of a session that holds no run in a project with one', () => {
    const box = restored();
    const other = { changes: { session_id: 's2' } };
    expect(fire(box, 'SessionStart', other).starts).toBe(1);
    for (const event of ['UserPromptSubmit', 'PostToolUse', 'SessionEnd'])
      expect(fire(box, event, other)).toEqual(NOTHING);
  });
});

/** `before` is cleared and `after` follows it; how often Node was started for both. */
function clear(box: Sandbox, before: string, after: string, cwd = box.root): number {
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

  it('in a project with a run, no matter which session holds it', () => {
    const box = installed();
    box.run(['start', 'Shop'], { session: 's1' });
    expect(clear(box, 's1', 's2')).toBe(2);
    expect(onlyRun(box.root).sessions?.current_session_id).toBe('s2');
    expect(clear(box, 'another', 'one-more')).toBe(2);
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

  it('once more if the session that follows never came', async () => {
    const box = installed();
    const { ask } = await openServer(box, { session: 's1' });
    await ask('tools/list');
    fire(box, 'SessionEnd', { changes: { reason: 'clear' } });
    const mark = join(box.home, '.claude/holdfast/sessions/s1.cleared');
    dated(LONG_AGO, mark);
    const start = { changes: { session_id: 's9', source: 'clear' } };
    expect(fire(box, 'SessionStart', start).starts).toBe(1);
    expect(fire(box, 'SessionStart', start).starts).toBe(0);
  });
});

describe('an event starts Node', () => {
  it('while required files are unread: each Read, and the prompt that reminds once', () => {
    const box = restored(['docs/big.md', 'docs/small.md']);
    expect(fire(box, 'PostCompact')).toEqual(NOTHING);
    const reminder = fire(box, 'UserPromptSubmit');
    expect(reminder.stdout).toContain('@docs/big.md');
    expect(fire(box, 'UserPromptSubmit')).toEqual(NOTHING);
    const read = { tool_input: { file_path: join(box.root, 'docs/big.md') }, tool_response: {} };
    expect(fire(box, 'PostToolUse', { changes: read }).starts).toBe(1);
    const inContext = onlyRun(box.root).context_metadata?.artifacts_in_context;
    expect(inContext?.map((entry) => entry.artifact_id)).toContain('@docs/big.md');
    expect(fire(box, 'PostToolUse', { changes: read })).toEqual(NOTHING);
  });

  it('when the session takes a run in a project from the folder of another', () => {
    const box = installed();
    const other = sandbox();
    const at = { cwd: other.root, env: { CLAUDE_PROJECT_DIR: box.root } };
    other.run(['start', 'Other', '--phases', 'A'], { session: 's2' });
    box.run(['start', 'First', '--phases', 'A'], { session: 's1' });
    box.run(['complete', 'first'], { session: 's1' });
    fire(box, 'UserPromptSubmit', at);
    expect(fire(box, 'UserPromptSubmit', at)).toEqual(NOTHING);
    box.run(['start', 'Second', '--phases', 'A,B'], { session: 's1' });
    expect(fire(box, 'SessionEnd', at).starts).toBe(1);
    expect(onlyRun(box.root).sessions?.session_history?.[0]).toHaveProperty('ended_at');
  });

  it('when the run was changed by anybody else, and then no more', () => {
    const box = restored();
    box.run(['update', '--remind', 'new rule'], { session: 's1' });
    expect(fire(box, 'UserPromptSubmit')).toMatchObject({ stdout: '', starts: 1 });
    expect(fire(box, 'UserPromptSubmit')).toEqual(NOTHING);
  });

  it('when the context has passed a threshold while files are unread, and then no more', () => {
    const box = restored(['docs/big.md']);
    expect(box.run(['fill', '--percent', '71'], { session: 's1' }).code).toBe(0);
    const { stdout } = fire(box, 'UserPromptSubmit');
    expect(stdout).toContain('docs/big.md');
    expect(stdout).toContain('71 %');
    expect(fire(box, 'UserPromptSubmit')).toEqual(NOTHING);
  });

  it('without its marker, whatever removed it', () => {
    const box = restored();
    rmSync(marker(box));
    expect(fire(box, 'UserPromptSubmit')).toMatchObject({ stdout: '', starts: 1 });
    expect(fire(box, 'UserPromptSubmit')).toEqual(NOTHING);
  });

  it('for a compaction that nothing has restored: its guidance comes with the next prompt, once', () => {
    const box = restored();
    expect(fire(box, 'PostCompact')).toEqual(NOTHING);
    dated(LONG_AGO, `${marker(box)}.restored`);
    expect(fire(box, 'PostCompact').starts).toBe(1);
    expect(fire(box, 'UserPromptSubmit').stdout).toContain('Workflow: Shop');
    expect(fire(box, 'UserPromptSubmit')).toEqual(NOTHING);
  });

  it('in the other project in which the session holds its run', () => {
    const box = restored();
    const other = join(box.home, 'other');
    mkdirSync(join(other, '.git'), { recursive: true });
    const compact = { cwd: other, changes: { source: 'compact', cwd: other } };
    expect(fire(box, 'SessionStart', compact).stdout).toContain('Workflow: Shop');
    expect(fire(box, 'UserPromptSubmit', { cwd: other })).toEqual(NOTHING);
  });

  it('when another installation of the hook has answered PostCompact already, and says nothing', () => {
    const box = restored();
    expect(fire(box, 'PostCompact')).toEqual(NOTHING);
    const at = new Date();
    dated(at, `${marker(box)}.restored`);
    const env = { HOLDFAST_NOW: at.toISOString() };
    expect(fire(box, 'PostCompact', { env })).toMatchObject({ stdout: '', stderr: '' });
    expect(fire(box, 'UserPromptSubmit').stdout).toBe('');
  });
});

describe('other hosts that read the settings', () => {
  const common = (root: string): Record<string, unknown> => ({
    cwd: root,
    timestamp: 1_760_000_000_000,
  });
  it.each([
    ['Copilot CLI', { sessionId: 'c1', source: 'startup', initialPrompt: 'hello' }],
    [
      'Codex',
      { session_id: 'x1', transcript_path: null, hook_event_name: 'SessionStart', model: 'gpt' },
    ],
    ['Cursor', { conversation_id: 'u1', hook_event_name: 'sessionStart', workspace_roots: ['/x'] }],
  ])('%s gets a correct reply or none, and changes nothing', (_host, fields) => {
    const box = installed({}, 'project');
    const options = (more: object = {}): FireOptions => ({
      scope: 'project',
      payload: JSON.stringify({ ...common(box.root), ...fields, ...more }),
    });
    const events = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'SessionEnd', 'PreCompact'];
    for (const event of events) expect(fire(box, event, options())).toEqual(NOTHING);

    box.run(['start', 'Shop']);
    const before = readFileSync(join(box.root, stateFiles(box.root)[0] ?? ''), 'utf8');
    const start = fire(box, 'SessionStart', options());
    expect(start).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(start.stdout).hookSpecificOutput.additionalContext).toContain(
      'In progress here: Shop',
    );
    for (const event of ['UserPromptSubmit', 'PostToolUse', 'SessionEnd'])
      expect(fire(box, event, options({ toolName: 'view', toolArgs: '{}' }))).toMatchObject({
        code: 0,
        stdout: '',
        stderr: '',
      });
    expect(readFileSync(join(box.root, stateFiles(box.root)[0] ?? ''), 'utf8')).toBe(before);
  });
});
