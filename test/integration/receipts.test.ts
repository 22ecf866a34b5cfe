import { spawn } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binary, sandbox, type CallOptions, type Sandbox } from '../support/cli.ts';
import { hook, preCompact, recorded, sessionStart, type Started } from '../support/hooks.ts';
import { onlyRun } from '../support/state.ts';

/** Too long to be given with the guidance. */
const LONG = 'line\n'.repeat(600);
const FILES = { 'docs/one.md': LONG, 'docs/two.md': LONG, 'docs/small.md': 'SMALL\n' };
const READING = ['--read', 'docs/one.md', '--read', 'docs/two.md', '--read', 'docs/small.md'];

type Enforce = 'off' | 'remind' | 'block';

function started(enforce?: Enforce, tree: Record<string, string> = {}, reading = READING): Sandbox {
  const settings =
    enforce === undefined
      ? {}
      : { '.claude/holdfast.json': JSON.stringify({ reading: { enforce } }) };
  const box = sandbox({ ...FILES, ...settings, ...tree });
  expect(box.run(['start', 'Shop', ...reading], { session: 's1' })).toMatchObject({ code: 0 });
  return box;
}

function compacted(box: Sandbox, session = 's1'): Started {
  preCompact(box, session);
  const given = sessionStart(box, session, 'compact');
  expect(given.context).toContain('WORKFLOW RESTORED');
  return given;
}

function restored(...given: Parameters<typeof started>): Sandbox {
  const box = started(...given);
  compacted(box);
  return box;
}

interface ToolResponse {
  startLine?: number;
  numLines?: number;
  totalLines?: number;
}

function read(box: Sandbox, path: string, file: ToolResponse = {}, session = 's1'): void {
  const result = hook(box, 'posttooluse-read', {
    session_id: session,
    tool_input: { file_path: join(box.root, path) },
    tool_response: { type: 'text', file },
  });
  expect(result).toMatchObject({ code: 0, stdout: '' });
}

/** What the hook says at a prompt; empty where it says nothing. */
function prompt(box: Sandbox, session = 's1', more: object = {}, options?: CallOptions): string {
  const { stdout } = hook(box, 'userpromptsubmit', { session_id: session, ...more }, options);
  if (stdout === '') return '';
  const { hookSpecificOutput: output, ...others } = JSON.parse(stdout);
  expect(others).toEqual({});
  expect(output).toEqual({
    hookEventName: 'UserPromptSubmit',
    additionalContext: expect.any(String),
  });
  return output.additionalContext;
}

let calls = 0;

/** Why the tool may not be used; empty where it may. */
function refused(
  box: Sandbox,
  tool: string,
  input: object = {},
  more: object = {},
  options: CallOptions = {},
): string {
  calls += 1;
  const fields = {
    session_id: 's1',
    tool_name: tool,
    tool_input: input,
    tool_use_id: `call-${calls}`,
    ...more,
  };
  const { stdout } = hook(box, 'pretooluse-bash', fields, options);
  if (stdout === '' || stdout.includes('"allow"')) return '';
  const reply = JSON.parse(stdout);
  expect(reply).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: expect.any(String),
    },
  });
  return reply.hookSpecificOutput.permissionDecisionReason;
}

const bash = (box: Sandbox, command: string): string => refused(box, 'Bash', { command });

/** Every file of the state folder with its content and time. */
function traces({ root }: Sandbox): unknown {
  const folder = join(root, 'untracked');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const stat = statSync(join(folder, name));
      return [name, stat.mtimeMs, stat.isFile() ? readFileSync(join(folder, name), 'utf8') : ''];
    });
}

function memoryOf({ root }: Sandbox): { receipts: Record<string, { refusals: number }> } {
  return JSON.parse(readFileSync(join(root, 'untracked/workflow-state/hooks.json'), 'utf8'));
}

describe('required reading that is unread after a restore', () => {
  it('is mentioned once, at the next prompt', () => {
    const box = restored();
    read(box, 'docs/one.md');
    const note = prompt(box);
    expect(note).toContain('@docs/two.md');
    expect(note).not.toContain('@docs/one.md');
    expect(note).not.toContain('@docs/small.md');
    const before = traces(box);
    expect(prompt(box)).toBe('');
    expect(traces(box)).toEqual(before);
  });

  it('is mentioned again after the next restore', () => {
    const box = restored();
    expect(prompt(box)).toContain('@docs/one.md');
    compacted(box);
    expect(prompt(box)).toContain('@docs/one.md');
  });

  it('is not mentioned if all of it was read, and nothing is written', () => {
    const box = restored();
    read(box, 'docs/one.md');
    read(box, 'docs/two.md');
    const before = traces(box);
    expect(prompt(box)).toBe('');
    expect(traces(box)).toEqual(before);
    box.run(['update', '--read', 'docs/three.md'], { session: 's1' });
    writeFileSync(join(box.root, 'docs/three.md'), LONG);
    expect(prompt(box)).toBe('');
  });

  it('is not mentioned if its content was included', () => {
    const box = restored('remind', {}, ['--read', 'docs/small.md']);
    expect(memoryOf(box).receipts).toEqual({});
    expect(prompt(box)).toBe('');
  });

  it.each(['off' as const])('is not mentioned with reading.enforce %s', (enforce) => {
    const box = restored(enforce);
    expect(prompt(box)).toBe('');
    read(box, 'docs/one.md');
    writeFileSync(join(box.root, 'docs/one.md'), 'changed');
    expect(prompt(box)).toBe('');
  });

  it('is not mentioned without a restore, nor to another session', () => {
    const box = started();
    expect(prompt(box)).toBe('');
    compacted(box);
    expect(prompt(box, 's2')).toBe('');
  });

  it('leaves out files that are missing, outside, loaded by the host, folders or not text', () => {
    const odd = ['docs/gone.md', '../outside.md', 'docs/host.md', 'docs/folder', 'docs/image.png'];
    const box = started(
      'block',
      {
        'CLAUDE.md': '@docs/host.md\n',
        'docs/host.md': LONG,
        'docs/image.png': '\0\0',
      },
      odd.flatMap((path) => ['--read', path]),
    );
    // A path that is a folder already would be refused.
    mkdirSync(join(box.root, 'docs/folder'));
    compacted(box);
    expect(prompt(box)).toBe('');
    expect(refused(box, 'Edit')).toBe('');
  });

  it('leaves out files deleted in the meantime', () => {
    const box = restored();
    rmSync(join(box.root, 'docs'), { recursive: true });
    mkdirSync(join(box.root, 'docs'));
    expect(prompt(box)).toBe('');
  });

  it('is mentioned after `resume` too', () => {
    const box = started();
    box.run(['release'], { session: 's1' });
    expect(box.run(['resume', 'shop'], { session: 's2' })).toMatchObject({ code: 0 });
    expect(prompt(box, 's2')).toContain('@docs/one.md');
    expect(prompt(box, 's2')).toBe('');
  });

  it('waits for the prompt after the one with belated guidance, even if the hook is installed twice', () => {
    const box = started();
    preCompact(box, 's1');
    hook(box, 'postcompact-auto', { session_id: 's1' });
    const same = { prompt_id: 'one' };
    const now = new Date().toISOString();
    expect(prompt(box, 's1', same, { now })).toContain('WORKFLOW RESTORED');
    expect(prompt(box, 's1', same, { now })).toBe('');
    const note = prompt(box, 's1', { prompt_id: 'two' });
    expect(note).toContain('@docs/one.md');
    expect(note).not.toContain('WORKFLOW RESTORED');
  });
});

describe('a file that is too long for one Read', () => {
  it('counts once its parts make it up', () => {
    const box = restored('block', {}, ['--read', 'docs/one.md']);
    read(box, 'docs/one.md', { startLine: 1, numLines: 400, totalLines: 601 });
    expect(refused(box, 'Edit')).toContain('@docs/one.md');
    read(box, 'docs/one.md', { startLine: 401, numLines: 201, totalLines: 601 });
    expect(refused(box, 'Edit')).toBe('');
    expect(prompt(box)).toBe('');
  });

  it('counts without the empty line that the client counts after the final newline', () => {
    const box = restored('block', {}, ['--read', 'docs/one.md', '--read', 'docs/two.md']);
    read(box, 'docs/one.md', { startLine: 1, numLines: 400, totalLines: 601 });
    read(box, 'docs/one.md', { startLine: 401, numLines: 200, totalLines: 601 });
    read(box, 'docs/two.md', { startLine: 1, numLines: 600, totalLines: 601 });
    expect(refused(box, 'Edit')).toBe('');
  });

  it('does not if the last line that has text is missing', () => {
    const box = restored('block', { 'docs/two.md': LONG.trimEnd() }, ['--read', 'docs/two.md']);
    read(box, 'docs/two.md', { startLine: 1, numLines: 599, totalLines: 600 });
    expect(refused(box, 'Edit')).toContain('@docs/two.md');
  });

  it('is not read by a repeated Read that only says it is unchanged', () => {
    const box = restored('block', {}, ['--read', 'docs/one.md']);
    const again = (): void => {
      const path = join(box.root, 'docs/one.md');
      hook(box, 'posttooluse-read', {
        session_id: 's1',
        tool_input: { file_path: path },
        tool_response: { type: 'file_unchanged', file: { filePath: path } },
      });
    };
    again();
    expect(refused(box, 'Edit')).toContain('@docs/one.md');
    read(box, 'docs/one.md', { startLine: 1, numLines: 400, totalLines: 601 });
    again();
    expect(box.json(['status'], { session: 's1' })).toMatchObject({
      reading: [{ path: '@docs/one.md', state: 'unread' }],
    });
    read(box, 'docs/one.md', { startLine: 401, numLines: 200, totalLines: 601 });
    again();
    expect(box.json(['status'], { session: 's1' })).toMatchObject({
      reading: [{ path: '@docs/one.md', state: 'in_context' }],
    });
  });

  it('does not if it changed in between', () => {
    const box = restored('block', {}, ['--read', 'docs/one.md']);
    read(box, 'docs/one.md', { startLine: 1, numLines: 400, totalLines: 601 });
    writeFileSync(join(box.root, 'docs/one.md'), LONG.replaceAll('line', 'LINE'));
    read(box, 'docs/one.md', { startLine: 401, numLines: 201, totalLines: 601 });
    expect(refused(box, 'Edit')).toContain('@docs/one.md');
  });
});

describe('a file that changed after it was read', () => {
  const change = (box: Sandbox, path: string): void =>
    writeFileSync(join(box.root, path), `${Math.random()} ${LONG}`);

  it('is mentioned to a session that is resumed, and not at a prompt', () => {
    const box = started();
    read(box, 'docs/one.md');
    change(box, 'docs/one.md');
    expect(sessionStart(box, 's1', 'resume').context).toContain('@docs/one.md');
    expect(prompt(box)).toBe('');
  });

  it('holds nothing back', () => {
    const box = restored('block', {}, ['--read', 'docs/one.md']);
    read(box, 'docs/one.md');
    change(box, 'docs/one.md');
    expect(refused(box, 'Edit')).toBe('');
  });
});

describe('with reading.enforce block', () => {
  it.each(['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'Bash'])('%s waits', (tool) => {
    const reason = refused(restored('block'), tool, { command: 'npm test' });
    expect(reason).toContain('@docs/one.md, @docs/two.md');
    expect(reason).not.toContain('@docs/small.md');
  });

  it.each(['Read', 'Glob', 'Grep', 'Task', 'mcp__x__Edit', 'TodoWrite'])(
    '%s never waits',
    (tool) => {
      expect(refused(restored('block'), tool)).toBe('');
    },
  );

  it('commands of holdfast never wait, but those beside them do', () => {
    const box = restored('block');
    expect(bash(box, 'npx holdfast status')).toBe('');
    expect(bash(box, 'holdfast status')).toBe('');
    expect(bash(box, 'holdfast status; rm -rf docs')).toContain('@docs/one.md');
    expect(bash(box, './holdfast status')).toContain('@docs/one.md');
  });

  it('goes on once all was read', () => {
    const box = restored('block');
    read(box, 'docs/one.md');
    expect(refused(box, 'Edit')).toContain('Read tool since then: @docs/two.md.');
    read(box, 'docs/two.md');
    const before = traces(box);
    expect(refused(box, 'Edit')).toBe('');
    expect(traces(box)).toEqual(before);
  });

  it('lets go after five refusals, until the next restore', () => {
    const box = restored('block');
    const tries = Array.from({ length: 7 }, () => refused(box, 'Edit') !== '');
    expect(tries).toEqual([true, true, true, true, true, false, false]);
    compacted(box);
    expect(refused(box, 'Edit')).not.toBe('');
  });

  it('reminds as well', () => {
    const box = restored('block');
    expect(prompt(box)).toContain('@docs/one.md');
    expect(refused(box, 'Edit')).toContain('@docs/one.md');
  });

  it('ignores sub-agents, other sessions, and a session that released the run', () => {
    const box = restored('block');
    expect(refused(box, 'Edit', {}, { agent_id: 'a1' })).toBe('');
    expect(refused(box, 'Edit', {}, { session_id: 's2' })).toBe('');
    box.run(['release'], { session: 's1' });
    expect(refused(box, 'Edit')).toBe('');
  });

  it.each(['off' as const, 'remind' as const])('only then, not with %s', (enforce) => {
    expect(refused(restored(enforce), 'Edit')).toBe('');
  });

  it('`status` and `guidance --explain` show what is still pending', () => {
    const box = restored('block');
    const s1 = { session: 's1' };
    const pending = { files: ['@docs/one.md', '@docs/two.md'], reminder: true, refusals_left: 5 };
    expect(box.json(['status'], s1)).toMatchObject({ pending_reading: pending });
    expect(box.json(['guidance'], s1)).toMatchObject({ pending_reading: pending });
    prompt(box);
    refused(box, 'Edit');
    const words = '2 required files. Edit, Write and Bash will be refused at most 4 more times.';
    expect(box.run(['status'], s1).stdout).toContain(words);
    expect(box.run(['guidance', '--explain'], s1).stdout).toContain(words);
    read(box, 'docs/one.md');
    read(box, 'docs/two.md');
    expect(box.json(['status'], s1)).toMatchObject({ pending_reading: null });
    expect(box.run(['status'], s1).stdout).not.toContain('Not read since');
  });
});

describe('at the same time', () => {
  const HOLDFAST_NOW = new Date().toISOString();

  function hookAtOnce({ root, home }: Sandbox, name: string, changes: object): Promise<string> {
    const child = spawn(process.execPath, [binary, 'hook'], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: home, HOLDFAST_NOW },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk) => (text += String(chunk)));
    child.stdin.end(recorded(name, { cwd: root, session_id: 's1', ...changes }));
    return new Promise((resolve, reject) => {
      child.on('close', (code) => (code === 0 ? resolve(text) : reject(new Error(`exit ${code}`))));
    });
  }

  it('two hooks for one prompt print one note', async () => {
    const box = restored();
    const both = [1, 2].map(() => hookAtOnce(box, 'userpromptsubmit', { prompt_id: 'p' }));
    const replies = (await Promise.all(both)).filter((text) => text !== '');
    expect(replies).toHaveLength(1);
  });

  it('two hooks of one tool call both refuse, and it counts once; two calls count twice', async () => {
    const box = restored('block');
    const ask = (id: string): Promise<string> =>
      hookAtOnce(box, 'pretooluse-bash', { prompt_id: 'p', tool_use_id: id });
    const replies = await Promise.all([ask('a'), ask('a'), ask('b'), ask('b')]);
    expect(replies.every((text) => text.includes('"deny"'))).toBe(true);
    expect(memoryOf(box).receipts['s1']).toMatchObject({ refusals: 2 });
  });
});

it('with a damaged hook state nothing is mentioned or refused', () => {
  const box = restored('block');
  for (const damaged of ['{', '[]', '{"receipts": 3}', '{"receipts": {"s1": {"at": "x"}}}']) {
    writeFileSync(join(box.root, 'untracked/workflow-state/hooks.json'), damaged);
    expect(prompt(box)).toBe('');
    expect(refused(box, 'Edit')).toBe('');
  }
  expect(onlyRun(box.root).workflow).toBe('Shop');
});

describe('the state of a required file', () => {
  const states = (tree: Record<string, string>, paths: string[], cwd = '.'): string[] => {
    const box = sandbox({ 'packages/b/x': '', ...tree });
    writeFileSync(join(box.home, 'secret.md'), 'secret');
    symlinkSync(join(box.home, 'secret.md'), join(box.root, 'link.md'));
    symlinkSync(join(box.root, 'gone'), join(box.root, 'dangling.md'));
    box.run(['start', 'W', ...paths.flatMap((path) => ['--read', path])], { session: 's1' });
    const env = { CLAUDE_PROJECT_DIR: join(box.root, cwd) };
    const { reading } = box.json(['status'], { session: 's1', env }) as {
      reading: { path: string; state: string }[];
    };
    return reading.map(({ path, state }) => `${path} ${state}`);
  };

  it('is named once for each file, whatever its spellings', () => {
    expect(
      states({ 'docs/a.md': 'a', 'b.md': 'b' }, ['b.md', './docs//a.md', 'docs/a.md', 'x/../b.md']),
    ).toEqual(['@b.md unread', '@docs/a.md unread']);
  });

  it('tells what is missing and what is outside', () => {
    const paths = ['gone.md', 'dangling.md', '../x.md', '/etc/passwd', '~/n.md', 'link.md'];
    expect(states({}, paths).map((line) => line.split(' ')[1])).toEqual([
      ...['missing', 'missing', 'outside', 'outside', 'outside', 'outside'],
    ]);
  });

  it.each<[what: string, tree: Record<string, string>, host: string[], cwd?: string]>([
    [
      'what its memory files import, relative to the importing file',
      {
        'CLAUDE.md': 'Rules: @docs/rules.md',
        'CLAUDE.local.md': '@notes.md and @missing.md',
        'docs/rules.md': '@more.md @../CLAUDE.md',
        'docs/more.md': '',
        'notes.md': '',
        'other.md': '',
      },
      ['CLAUDE.md', 'CLAUDE.local.md', 'docs/rules.md', 'docs/more.md', 'notes.md'],
    ],
    [
      'imports four levels deep, with an extension that it certainly knows',
      {
        'CLAUDE.md': '@l1.md @i.ts @b.mdx @h',
        'l1.md': '@l2.md @CLAUDE.md',
        'l2.md': '@l3.md',
        'l3.md': '@l4.md',
        'l4.md': '@l5.md',
        'l5.md': '',
        'i.ts': '',
        'b.mdx': '',
        h: '',
      },
      ['CLAUDE.md', 'l1.md', 'l2.md', 'l3.md', 'l4.md', 'i.ts'],
    ],
    [
      'no imports if it was launched below the root',
      { 'CLAUDE.md': '@a.md', 'a.md': '' },
      ['CLAUDE.md'],
      'packages/b',
    ],
    ['nothing if it was launched elsewhere', { 'CLAUDE.md': '' }, [], '..'],
  ])('is that of the host for %s', (_what, tree, host, cwd) => {
    const loaded = states(tree, Object.keys(tree), cwd).filter((line) => line.endsWith(' host'));
    expect(loaded.toSorted()).toEqual(host.map((path) => `@${path} host`).toSorted());
  });
});
