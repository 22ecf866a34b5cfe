import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nameOf } from '../../src/commands/command.ts';
import { COMMANDS } from '../../src/commands/table.ts';
import {
  binary,
  git,
  sandbox,
  type CallOptions,
  type Sandbox,
} from '../support/cli.ts';
import { makeHub, ok } from '../support/clones.ts';
import { DeclaredDocuments } from '../support/documents.ts';
import { drivenProject, START, template } from '../support/driven.ts';
import { openServer } from '../support/mcp.ts';

// The tests fill the sets of what was compared, which the last test looks at.
const declared = new DeclaredDocuments();

const SESSION = '0199b8a4-7c7e-7e5d-8f6d-3a5d5f0e9a11';
const OTHER = 'ffff0000-7c7e-7e5d-8f6d-3a5d5f0e9a22';

/** Runs a command and compares what it prints with what is declared for this form of it. */
function check(
  box: Pick<Sandbox, 'json'>,
  form: string,
  words: string[],
  options: CallOptions = {},
): Record<string, unknown> {
  const document = Object(box.json(words, options));
  declared.check(form, document);
  return document;
}

function checkFailure(
  box: Sandbox,
  code: string,
  words: string[],
  options: CallOptions = {},
): void {
  const document = box.json(words, { code: 1, ...options });
  declared.checkFailure(code, Object(document));
}

const TEMPLATE = `name: Release
description: ships a release
inputs:
  tag: {description: the tag, required: true}
max_pivots: 4
critical_artifacts:
  always_load:
    - {id: spec, type: markdown, path: docs/spec.md, required: true, reload_triggers: [session_start, 'phase_start:build']}
    - {id: rules, type: markdown, path: docs/rules.md, load_strategy: summary, reload_triggers: [manual]}
    - {id: docs, type: directory, path: docs, reload_triggers: [manual]}
steps:
  - {id: plan, type: action, instructions: Plan it.}
  - {id: build, type: loop, loop: items, instructions: Build it.}
  - {id: polish, type: ralph, n: 2, context: compact, until: "true", instructions: Polish it.}
  - {id: sign, type: approval, instructions: Look at it.}
  - {id: ship, type: action, context: clear, gate: "test -f shipped", instructions: Ship it.}
loops:
  items:
    - {id: code, instructions: Write it.}
    - {id: review, instructions: Review it.}
`;
const PATH = '.claude/holdfast/workflows/release.yaml';
const PROJECT = {
  [PATH]: TEMPLATE,
  'docs/spec.md': 'The spec.\n',
  'docs/rules.md': 'The rules.\n',
};
const START_RELEASE = ['start', '--template', 'release', '--set', 'tag=1.0'];

describe('what a command prints with --json is what is declared', () => {
  it('of a run with phases', () => {
    const box = sandbox(PROJECT);
    check(box, 'status', ['status']);
    check(box, 'dashboard', []);
    check(box, '--version', ['--version']);
    const words = ['start', 'Shop', '--phases', 'Design,Build,Ship,Sell'];
    check(box, 'start', [...words, '--read', 'docs/rules.md']);
    check(box, 'status', ['status']);
    check(box, 'status --module', ['status', '--look', '--module', '1'], {
      session: SESSION,
    });
    check(box, 'dashboard', []);
    check(box, 'update', [
      'update',
      '--remind',
      'keep the API',
      '--set',
      'a=1',
    ]);
    check(box, 'advance', ['advance', '--output', 'made']);
    check(box, 'skip', ['skip', '--phase', '3', '--reason', 'no need']);
    check(box, 'note', ['note', 'SQLite']);
    check(box, 'note', ['note', 'Postgres', '--replace', '1']);
    check(box, 'note --list', ['note', '--list']);
    check(box, 'note --forget', ['note', '--forget', '2']);
    check(box, 'fail', ['fail', '--reason', 'no key']);
    check(box, 'context', ['context']);
    check(box, 'guidance', ['guidance', 'shop']);
    check(box, 'show', ['show']);
    check(box, 'history', ['history']);
    check(box, 'pause', ['pause', '--reason', 'later']);
    check(box, 'resume', ['resume']);
    check(box, 'release', ['release', 'shop']);
    check(box, 'resume', ['resume', 'shop'], { session: SESSION });
    check(box, 'takeover', ['takeover', 'shop'], { session: OTHER });
    check(box, 'export', ['export']);
    check(box, 'complete', ['complete', 'shop'], { session: OTHER });
    check(box, 'list', ['list', '--all']);
    check(box, 'reopen', ['reopen', 'shop']);
    check(box, 'cancel', ['cancel', 'shop', '--reason', 'given up']);
  });

  it('of a run of a template', () => {
    const box = sandbox(PROJECT);
    checkFailure(box, 'missing_inputs', ['start', '--template', 'release']);
    box.run(['trust', 'release', '--yes']);
    check(box, 'start', START_RELEASE);
    const second = check(box, 'start', START_RELEASE);
    expect(second['existing']).toHaveLength(1);
    const { run } = second as { run: { run_id: string } };
    const id = run.run_id;
    check(box, 'autopilot', ['autopilot', 'ask', id]);
    check(box, 'status', ['status', id]);
    check(box, 'prime --dry-run', ['prime', id, '--dry-run']);
    check(box, 'prime', ['prime', id]);
    check(box, 'prime', ['prime', id, '--max-chars', '10', '--force']);
    box.run(['resume', id], { session: SESSION });
    box.run(['prime'], { session: SESSION });
    const { skipped } = check(box, 'prime', ['prime'], { session: SESSION });
    expect(skipped).toContainEqual(expect.objectContaining({ id: 'rules' }));
    box.run(['release', id]);
    check(box, 'advance', ['advance', id]);
    check(box, 'list --everywhere', ['list', '--everywhere'], {
      session: SESSION,
    });
    writeFileSync(
      join(box.home, 'terminal.cjs'),
      "Object.defineProperty(process.stdin, 'isTTY', { value: true });",
    );
    const atTerminal = {
      ownProcess: true,
      env: { NODE_OPTIONS: `--require ${join(box.home, 'terminal.cjs')}` },
    };
    const list = { input: '- one\n' };
    check(box, 'tasks', ['tasks', 'items', '--run', id, '--file', '-'], list);
    const listed = ['tasks', 'items', '--run', id];
    check(box, 'tasks, listed', listed, atTerminal);
    check(box, 'advance', ['advance', id]);
    check(box, 'advance', ['advance', id]);
    check(box, 'list --everywhere', ['list', '--everywhere'], {
      session: SESSION,
    });
    const polished = check(box, 'advance', ['advance', id]);
    const { until, wait } = polished as { until: object; wait: string };
    expect(until).toMatchObject({ met: true });
    check(box, 'list --everywhere', ['list', '--everywhere'], {
      session: SESSION,
    });
    check(box, 'reject', ['reject', id, '--feedback', 'again', '--for', wait]);
    const sent = check(box, 'pivot', [
      'pivot',
      'plan',
      '--feedback',
      'no',
      '--run',
      id,
    ]);
    expect(sent['pivot']).toMatchObject({ to: 'plan' });
    let waits: unknown = null;
    for (let moves = 0; waits === null && moves < 20; moves += 1) {
      box.run(['advance', id]);
      waits = Object(box.json(['status', id])).wait;
    }
    const answer = ['approve', id, '--for', String(waits)];
    check(box, 'approve', answer);
    check(box, 'approve, repeated', answer);
    checkFailure(box, 'wait_changed', ['approve', id, '--for', 'sign@0']);
    checkFailure(box, 'gate_failed', ['advance', id]);
    rmSync(join(box.root, 'docs/spec.md'));
    checkFailure(box, 'artifact_missing', ['prime', id]);
    writeFileSync(join(box.root, 'shipped'), '');
    const ended = check(box, 'advance', ['advance', id]);
    expect(ended).toHaveProperty('archived');
  });

  it('of runs of other places and states', async () => {
    const box = sandbox({
      ...PROJECT,
      'CLAUDE.local.md':
        '## Workflow State\n\nWorkflow: Site\nPhase: 2/3 - Build\n@docs/rules.md\n',
      '.claude/holdfast/workflows/broken.yaml': 'name: Broken\n',
      'untracked/workflow-state/odd/state-odd-20250101_000000.json': '{',
    });
    rmSync(join(box.root, '.git'), { recursive: true });
    git(box, 'init', '-q');
    git(box, 'commit', '-q', '--allow-empty', '-m', 'one');
    git(box, 'worktree', 'add', '-q', '../fix');
    const fix = join(dirname(box.root), 'fix');
    check(box, 'status', ['status']);
    box.run(['start', 'Fix', '--phases', 'A,B'], {
      cwd: fix,
      session: SESSION,
    });
    box.run(['fill', '--percent', '82'], { cwd: fix, session: SESSION });
    check(box, 'status', ['status']);
    check(box, 'list', ['list']);
    check(box, 'init --host codex', ['init', '--host', 'codex']);
    check(box, 'templates', ['templates']);
    check(box, 'list --everywhere', ['list', '--everywhere', '--all']);
    box.run(['start', 'Other', '--phases', 'A,B'], { session: OTHER });
    check(box, 'status', ['status'], { session: OTHER });
    check(box, 'list', ['list']);
    const exported = check(box, 'export', ['export', 'other']);
    box.run(['complete', 'other'], { session: OTHER });
    const input = JSON.stringify(exported);
    check(box, 'import', ['import', '-', '--force'], { input });
    rmSync(join(box.root, 'untracked/workflow-state/.gitignore'));
    checkFailure(box, 'unhealthy', ['doctor', '--fix']);
  });

  it('of templates, trust and validation', () => {
    const unclear = '# Workflow: Site\n\nPhase: 2/3 - Build\n';
    const box = sandbox({ ...PROJECT, 'CLAUDE.local.md': unclear });
    const { not_understood: found } = check(box, 'status', ['status']);
    expect(found).toHaveLength(1);
    check(box, 'templates', ['templates']);
    check(box, 'templates show', ['templates', 'show', 'release']);
    check(box, 'templates new', ['templates', 'new', 'Deploy']);
    check(box, 'trust', ['trust', 'release', '--yes']);
    check(box, 'trust', ['trust', 'release']);
    check(box, 'untrust', ['untrust', 'release']);
    check(box, 'validate', ['validate']);
    writeFileSync(join(box.root, PATH), 'name: Release\n');
    checkFailure(box, 'invalid_files', ['validate']);
    checkFailure(box, 'invalid_template', ['start', '--template', 'release']);
    check(box, 'templates', ['templates']);
    checkFailure(box, 'unknown_run', ['show', 'nobody']);
    const usage = box.json(['frobnicate'], { code: 2 });
    declared.checkFailure('usage', Object(usage));
  });

  it('of the todo list', () => {
    const box = sandbox();
    check(box, 'todo set', ['todo', 'set', '-'], { input: '- [ ] one\n' });
    check(box, 'todo add', ['todo', 'add', 'two']);
    check(box, 'todo done', ['todo', 'done', '1']);
    check(box, 'todo show', ['todo', 'show']);
    check(box, 'todo', ['todo']);
  });

  it('of the installation', () => {
    const box = sandbox();
    const both = ['--host', 'claude', '--host', 'codex', '--scope', 'project'];
    const codex = ['--host', 'codex'];
    checkFailure(box, 'unhealthy', ['doctor']);
    check(box, 'init', ['init', '--dry-run']);
    check(box, 'init', ['init', '--mcp', '--statusline']);
    check(box, 'init --host codex', ['init', ...codex, '--dry-run']);
    check(box, 'init --host codex', ['init', ...codex]);
    const several = ['init', ...both];
    check(box, 'init --host claude --host codex', several);
    check(box, 'doctor', ['doctor']);
    const removed = ['uninstall', ...both];
    check(box, 'uninstall --host claude --host codex', removed);
    check(box, 'uninstall --host codex', ['uninstall', ...codex]);
    check(box, 'uninstall', ['uninstall']);
  });

  it('of the demo', () => {
    check(sandbox(), 'demo', ['demo']);
  });

  it('of sync', () => {
    const hub = makeHub();
    const [a, b] = [hub.clone('a'), hub.clone('b')];
    const sync = (
      clone: typeof a,
      form: string,
      ...words: string[]
    ): object => {
      const document = JSON.parse(ok(clone.run([...words, '--json'])));
      declared.check(form, document);
      return document;
    };
    sync(a, 'sync status', 'sync', 'status');
    ok(a.run(['start', 'Auth', '--phases', 'A,B']));
    sync(a, 'sync on', 'sync', 'on', 'origin');
    sync(a, 'sync --dry-run', 'sync', '--dry-run');
    sync(a, 'sync', 'sync');
    sync(b, 'sync on', 'sync', 'on', 'origin');
    ok(b.run(['update', '--name', 'Design']));
    ok(a.run(['update', '--name', 'Sketch']));
    ok(b.run(['sync']));
    sync(a, 'sync', 'sync');
    const secret = ['ghp', 'abcdefghijklmnopqrstuvwxyz0123456789'].join('_');
    ok(a.run(['update', '--set', `token=${secret}`]));
    const { secrets } = sync(a, 'sync status', 'sync', 'status') as {
      secrets: { fingerprint: string }[];
    };
    sync(a, 'sync --dry-run', 'sync', '--dry-run');
    sync(a, 'sync', 'sync');
    const fingerprint = secrets[0]?.fingerprint ?? '';
    sync(a, 'sync allow', 'sync', 'allow', fingerprint);
    hub.git('update-ref', 'refs/holdfast/runs/-/junk', junkCommit(hub));
    sync(a, 'sync', 'sync');
    sync(a, 'sync status', 'sync', 'status');
    sync(a, 'sync prune', 'sync', 'prune', '--dry-run');
    sync(a, 'sync off', 'sync', 'off');
  });

  it('of a driven run', () => {
    const box = drivenProject(
      template(
        '  - {id: plan, type: action, instructions: PLAN, gate: "test -f built"}\n',
      ),
    );
    check(box, 'run --dry-run', ['run', ...START, '--dry-run'], {
      env: box.env,
    });
    box.run(['trust', 'release', '--yes']);
    box.script([
      [
        {
          run: 'holdfast advance --json >requested.json; holdfast mcp <requests.jsonl >replies.jsonl',
        },
      ],
      [{ run: 'touch built; holdfast advance' }],
    ]);
    writeFileSync(join(box.root, 'requests.jsonl'), callOf('workflow_advance'));
    const events = box.events(box.drive([...START, '--json']));
    for (const event of events) declared.check('run', event);
    const requested = readFileSync(join(box.root, 'requested.json'), 'utf8');
    declared.check('advance, requested', JSON.parse(requested));
    const replies = readFileSync(join(box.root, 'replies.jsonl'), 'utf8');
    const { result } = JSON.parse(replies.trim().split('\n').at(-1) ?? '');
    const reply = JSON.parse(result.content[0].text);
    expect(reply).toHaveProperty('requested');
    declared.checkTool('workflow_advance', reply);
  });

  it('of the commands that last', async () => {
    const box = sandbox(PROJECT);
    box.run(['start', 'Shop', '--phases', 'A,B']);
    const watching = begin(box, ['watch', '--json']);
    await watching.printed(1);
    box.run(['complete']);
    for (const line of (await watching.ended).trim().split('\n'))
      declared.check('watch', JSON.parse(line));
    const page = begin(box, ['ui', '--no-open', '--json']);
    await expect.poll(() => isJson(page.output())).toBe(true);
    declared.check('ui', JSON.parse(page.output()));
  });
});

describe('what an MCP tool replies is what is declared', () => {
  it('of a run of a template', async () => {
    const box = sandbox(PROJECT);
    const server = await openServer(box, { session: SESSION });
    const reply = async (tool: string, input = {}): Promise<object> => {
      const result = await server.reply(tool, input);
      declared.checkTool(tool, result);
      return result;
    };
    box.run(['trust', 'release', '--yes']);
    box.run([...START_RELEASE], { session: OTHER });
    box.run(['release'], { session: OTHER });
    await reply('workflow_status');
    box.run(
      [...START_RELEASE, '--read', 'docs/rules.md', '--remind', 'be kind'],
      {
        session: SESSION,
      },
    );
    await reply('workflow_status');
    await reply('workflow_advance', { output: 'made', artefacts: ['no.md'] });
    for (let pivots = 0; pivots < 3; pivots += 1) {
      box.run(['pivot', 'plan', '--feedback', 'no'], { session: SESSION });
      await reply('workflow_status');
      await reply('workflow_advance');
    }
    await reply('workflow_set_tasks', { loop_id: 'items', tasks: ['one'] });
    await reply('workflow_context');
    await reply('workflow_note', { text: 'SQLite' });
    await reply('workflow_note', { text: 'Postgres', replace: 1 });
    await reply('workflow_note', { forget: 2 });
    await reply('prime_context', { artifacts: ['spec'] });
    await reply('workflow_advance');
    await reply('workflow_advance');
    await reply('workflow_status');
    await reply('workflow_advance');
    await reply('workflow_status');
    await server.end();
  });

  it('of a run with phases, and of the todo list', async () => {
    const box = sandbox();
    const server = await openServer(box, { session: SESSION });
    const reply = async (tool: string, input = {}): Promise<object> => {
      const result = await server.reply(tool, input);
      declared.checkTool(tool, result);
      return result;
    };
    await reply('workflow_start', { name: 'Shop', phases: ['A', 'B', 'C'] });
    box.run(['skip', '--phase', '3'], { session: SESSION });
    await reply('workflow_fail', { reason: 'no key' });
    await reply('workflow_status');
    await reply('workflow_context');
    await reply('update_todo_list', { content: '- [ ] one\n' });
    writeFileSync(join(box.root, 'TODO.md'), '- [ ] theirs\n');
    await reply('update_todo_list', { content: '- [ ] two\n' });
    await reply('workflow_complete');
    await reply('workflow_start', { template: 'default', summary: 'a shop' });
    await reply('workflow_context');
    await reply('workflow_start', { template: 'default' });
    box.run(['release'], { session: SESSION });
    box.run(['start', 'Other', '--phases', 'A,B'], { session: OTHER });
    await reply('workflow_status', {});
    await server.end();
  });

  it('of a run whose phases have left much', async () => {
    const box = sandbox();
    const server = await openServer(box, { session: SESSION });
    const phases = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
    await server.reply('workflow_start', { name: 'Shop', phases });
    const output = 'x '.repeat(4_900);
    for (const _phase of phases.slice(1))
      await server.reply('workflow_advance', { output });
    const context = await server.reply('workflow_context');
    expect(context).toHaveProperty('leftOut');
    declared.checkTool('workflow_context', context);
    await server.end();
  });
});

/** What a client writes to an MCP server that calls one tool. */
function callOf(name: string): string {
  const clientInfo = { name: 'test', version: '1' };
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const requests = [
    { id: 1, method: 'initialize', params: hello },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name, arguments: {} } },
  ];
  return requests
    .map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`)
    .join('');
}

/** A commit that is no run. */
const junkCommit = ({ git: run }: { git: (...words: string[]) => string }) =>
  run(
    'commit-tree',
    run('hash-object', '-t', 'tree', '-w', '/dev/null').trim(),
    '-m',
    'x',
  ).trim();

/** Starts a command that goes on until it is stopped. */
function begin(box: Sandbox, words: string[]): Lasting {
  const child = spawn(process.execPath, [binary, ...words], {
    cwd: box.root,
    env: { PATH: process.env['PATH'], HOME: box.home, TZ: 'UTC' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout
    .setEncoding('utf8')
    .on('data', (chunk: string) => (text += chunk));
  const output = (): string => text;
  return {
    output,
    printed: (lines) =>
      expect.poll(() => text.split('\n').length).toBeGreaterThan(lines),
    ended: once(child, 'close').then(output),
  };
}

interface Lasting {
  output: () => string;
  /** Waits until it has printed so many lines. */
  printed: (lines: number) => Promise<void>;
  /** What it has printed in all. */
  ended: Promise<string>;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it('every command that prints a result is declared', () => {
  // They print nothing.
  const silent = new Set(['fill', 'register-client']);
  const names = COMMANDS.flatMap((command) => {
    const name = nameOf(command);
    if ('passOn' in command || silent.has(name)) return [];
    const subcommands = (command.subcommands ?? []).map(nameOf);
    return [name, ...subcommands.map((sub) => `${name} ${sub}`)];
  });
  expect(declared.forms()).toEqual(expect.arrayContaining(names));
});

it('every form, tool and failure that is declared was compared, and every field was seen', () => {
  // A gate may take ten minutes.
  expect(declared.unchecked()).toEqual(['FailureDetails.gate_timed_out']);
  expect(declared.unseen()).toEqual([]);
});
