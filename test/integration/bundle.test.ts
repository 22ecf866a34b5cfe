import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { repository, sandbox, type Sandbox } from '../support/cli.ts';

interface Metafile {
  inputs: object;
  outputs: Record<string, { imports: { path: string }[] }>;
}

function metafileOf(bundle: string): Metafile {
  return JSON.parse(readFileSync(join(repository, `dist/${bundle}.meta.json`), 'utf8'));
}

function requiredBy(bundle: string): Set<string> {
  const { imports = [] } = metafileOf(bundle).outputs[`dist/${bundle}.cjs`] ?? {};
  return new Set(imports.map(({ path }) => path));
}

describe('the hook bundle', () => {
  it('contains only what hooks need: no package, no command line, no MCP server', () => {
    const inputs = Object.keys(metafileOf('hook').inputs);
    expect(inputs.length).toBeGreaterThan(50);
    const foreign = inputs.filter((path) => !/^(?:src\/(?!cli\/|mcp\/)|builtin:node:)/.test(path));
    expect(foreign).toEqual([]);
  });

  it('loads no heavy part of Node at the start, and no other file', () => {
    const rare = ['node:child_process', 'node:os'];
    expect(requiredBy('hook')).toEqual(new Set(['node:fs', 'node:path', ...rare]));
    const hook = join(repository, 'dist/hook.cjs');
    const script = `process.on('exit', () => console.log(process.moduleLoadList.join('\\n')));
      require(${JSON.stringify(hook)});`;
    const { stdout } = spawnSync(process.execPath, ['--no-rehash-snapshot', '-e', script], {
      cwd: sandbox().root,
      input: '{"hook_event_name":"PreCompact","session_id":"s1"}',
      env: { HOME: '/nowhere' },
      encoding: 'utf8',
    });
    const loaded = stdout.split('\n');
    expect(loaded).toContain('NativeModule vm');
    for (const part of rare) expect(loaded).not.toContain(part.replace('node:', 'NativeModule '));
  });

  it('stays under 205 KB', () => {
    expect(statSync(join(repository, 'dist/hook-code.cjs')).size).toBeLessThan(205_000);
  });
});

describe('the hooks work without any other file of the package than their loader and their code', () => {
  function alone(
    box: Sandbox,
    event: string,
    input: object,
  ): { code: number | null; stdout: string } {
    const folder = join(box.home, 'alone');
    mkdirSync(folder);
    for (const name of ['hook.cjs', 'hook-code.cjs'])
      copyFileSync(join(repository, 'dist', name), join(folder, name));
    const { stdout, status: code } = spawnSync(
      process.execPath,
      [join(folder, 'hook.cjs'), event],
      {
        cwd: box.root,
        encoding: 'utf8',
        input: JSON.stringify(input),
        env: { PATH: process.env['PATH'], HOME: box.home },
      },
    );
    return { code, stdout };
  }
  const compaction = { session_id: 's1', source: 'compact' };
  const log = ({ root }: Sandbox): string => join(root, 'untracked/workflow-state/holdfast.log');

  it('before a compaction', () => {
    const box = sandbox();
    box.run(['start', 'Shop'], { session: 's1' });
    expect(alone(box, 'PreCompact', { session_id: 's1' })).toEqual({
      code: 0,
      stdout: expect.stringContaining('Workflow: Shop'),
    });
  });

  it('after one, in a run that has no artifacts', () => {
    const box = sandbox();
    box.run(['start', 'Shop'], { session: 's1' });
    expect(alone(box, 'SessionStart', compaction)).toEqual({
      code: 0,
      stdout: expect.stringContaining('Workflow: Shop'),
    });
    expect(existsSync(log(box))).toBe(false);
  });

  it.each([
    ['UserPromptSubmit', {}],
    ['PostToolUse', { tool_name: 'Read', tool_input: { file_path: 'other.md' } }],
    ['PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } }],
  ])('at a %s that does not concern the required reading of its run', (event, input) => {
    const box = sandbox({
      'long.md': 'x'.repeat(3_000),
      'other.md': '',
      '.claude/holdfast.json': '{"reading": {"enforce": "block"}}',
    });
    box.run(['start', 'Shop', '--read', 'long.md'], { session: 's1' });
    expect(alone(box, event, { session_id: 's1', ...input })).toEqual({ code: 0, stdout: '' });
    expect(existsSync(log(box))).toBe(false);
  });

  it('after one, in a run with required reading, whose files are then pending', () => {
    const box = sandbox({ 'long.md': 'x'.repeat(3_000) });
    box.run(['start', 'Shop', '--read', 'long.md'], { session: 's1' });
    const { code, stdout } = alone(box, 'SessionStart', compaction);
    expect(code).toBe(0);
    expect(stdout).toContain('@long.md');
    const hooks = readFileSync(join(box.root, 'untracked/workflow-state/hooks.json'), 'utf8');
    expect(JSON.parse(hooks)).toMatchObject({ receipts: { s1: { owed: ['@long.md'] } } });
    expect(existsSync(log(box))).toBe(false);
  });

  it('after one, in a run with critical artifacts', () => {
    const spec = { id: 'spec', type: 'markdown', path: 'spec.md' };
    const settings = { critical_artifacts: { always_load: [spec] } };
    const box = sandbox({ '.claude/holdfast.json': JSON.stringify(settings), 'spec.md': 'SPEC' });
    box.run(['start', 'Shop'], { session: 's1' });
    const { code, stdout } = alone(box, 'SessionStart', compaction);
    expect(code).toBe(0);
    expect(stdout).toContain('SPEC');
    expect(existsSync(log(box))).toBe(false);
  });

  it('after one, in a run of a template', () => {
    const box = sandbox();
    box.run(['start', '--template', 'bugfix'], { session: 's1' });
    const { code, stdout } = alone(box, 'SessionStart', compaction);
    expect(code).toBe(0);
    expect(stdout).toContain('Workflow: Bugfix');
    expect(stdout).toContain('Reproduce the bug with the fewest steps');
    expect(existsSync(log(box))).toBe(false);
  });
});

describe('`status` has a separate bundle, built from the same sources', () => {
  const task = { 'CLAUDE.local.md': '# Workflow State\nWorkflow: Later\nPhase: 1/2 - One\n' };

  it.each([
    [['status']],
    [['status', 'shop']],
    [['status', '--json']],
    [['status', 'nothing-like-it']],
    [['status', '--wrong']],
    [['status', '--help']],
  ])('%j prints the same as the full command line', (words) => {
    const box = sandbox(task);
    box.run(['start', 'Shop', '--phases', 'Plan,Build'], { session: 's1' });
    const separate = box.run(words, { session: 's1' });
    // An option before the command makes the launcher use the full command line.
    const full = box.run(['--cwd', box.root, ...words], { session: 's1' });
    expect(full).toEqual(separate);
    expect(`${separate.stdout}${separate.stderr}`).not.toBe('');
  });

  it('is small and contains no YAML parser', () => {
    expect(statSync(join(repository, 'dist/cli-status.cjs')).size).toBeLessThan(300_000);
    const inputs = Object.keys(metafileOf('cli-status').inputs);
    expect(inputs.filter((path) => path.startsWith('node_modules/yaml/'))).toEqual([]);
  });
});

describe('`statusline`, which runs after every message', () => {
  it('has a small bundle without the command line, the YAML parser and other packages', () => {
    expect(statSync(join(repository, 'dist/cli-statusline.cjs')).size).toBeLessThan(100_000);
    const inputs = Object.keys(metafileOf('cli-statusline').inputs);
    expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
  });
});
