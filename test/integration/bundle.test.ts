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

it.each(['hook', 'hook-artifacts', 'hook-reading', 'hook-steps'])(
  'the bundle %s has only what hooks need: no package, no command line',
  (bundle) => {
    const inputs = Object.keys(metafileOf(bundle).inputs);
    expect(inputs.length).toBeGreaterThan(5);
    const foreign = inputs.filter((path) => !/^(?:src\/(?!cli\/)|builtin:node:)/.test(path));
    expect(foreign).toEqual([]);
  },
);

it('the hook bundles load no heavy part of Node, and the others only where there is something for them to do', () => {
  expect(requiredBy('hook')).toEqual(
    new Set([
      'node:fs',
      'node:os',
      'node:path',
      './hook-artifacts.cjs',
      './hook-reading.cjs',
      './hook-steps.cjs',
    ]),
  );
  expect(requiredBy('hook-reading')).toEqual(new Set(['node:fs', 'node:os', 'node:path']));
  expect(requiredBy('hook-artifacts')).toEqual(new Set(['node:fs', 'node:path']));
  expect(requiredBy('hook-steps')).toEqual(new Set());
});

it('the hook bundle stays under 100 KB', () => {
  expect(statSync(join(repository, 'dist/hook.cjs')).size).toBeLessThan(100_000);
});

describe('the hook file works alone, without what lies beside it', () => {
  function alone(
    box: Sandbox,
    event: string,
    input: object,
  ): { code: number | null; stdout: string } {
    const folder = join(box.home, 'alone');
    mkdirSync(folder);
    copyFileSync(join(repository, 'dist/hook.cjs'), join(folder, 'hook.cjs'));
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
  ])('at a %s that is none of its business, although its run requires reading', (event, input) => {
    const box = sandbox({
      'long.md': 'x'.repeat(3_000),
      'other.md': '',
      '.claude/holdfast.json': '{"reading": {"enforce": "block"}}',
    });
    box.run(['start', 'Shop', '--read', 'long.md'], { session: 's1' });
    expect(alone(box, event, { session_id: 's1', ...input })).toEqual({ code: 0, stdout: '' });
    expect(existsSync(log(box))).toBe(false);
  });

  it('after one, in a run whose reading would be verified: it is given, and the log says what is not there', () => {
    const box = sandbox({ 'long.md': 'x'.repeat(3_000) });
    box.run(['start', 'Shop', '--read', 'long.md'], { session: 's1' });
    const { code, stdout } = alone(box, 'SessionStart', compaction);
    expect(code).toBe(0);
    expect(stdout).toContain('@long.md');
    expect(readFileSync(log(box), 'utf8')).toContain('hook-reading.cjs');
  });

  it('after one, in a run that has some: the rest is given, and the log says what is not there', () => {
    const spec = { id: 'spec', type: 'markdown', path: 'spec.md' };
    const settings = { critical_artifacts: { always_load: [spec] } };
    const box = sandbox({ '.claude/holdfast.json': JSON.stringify(settings), 'spec.md': 'SPEC' });
    box.run(['start', 'Shop'], { session: 's1' });
    const { code, stdout } = alone(box, 'SessionStart', compaction);
    expect(code).toBe(0);
    expect(stdout).toContain('Workflow: Shop');
    expect(stdout).not.toContain('SPEC');
    expect(readFileSync(log(box), 'utf8')).toContain('hook-artifacts.cjs');
  });

  it('in a run of a template: the rest is given, and the log says once what is not there', () => {
    const box = sandbox();
    box.run(['start', '--template', 'bugfix'], { session: 's1' });
    const { code, stdout } = alone(box, 'SessionStart', compaction);
    expect(code).toBe(0);
    expect(stdout).toContain('Workflow: Bugfix');
    expect(stdout).not.toContain('Make the bug happen');
    expect(
      readFileSync(log(box), 'utf8').match(/Cannot find module '.\/hook-steps.cjs'/g),
    ).toHaveLength(1);
  });
});

describe('`status` has a bundle of its own, of the same sources', () => {
  const task = { 'CLAUDE.local.md': '# Workflow State\nWorkflow: Later\nPhase: 1/2 - One\n' };

  it.each([
    [['status']],
    [['status', 'shop']],
    [['status', '--json']],
    [['status', 'nothing-like-it']],
    [['status', '--wrong']],
    [['status', '--help']],
  ])('%j says the same as through the whole command line', (words) => {
    const box = sandbox(task);
    box.run(['start', 'Shop', '--phases', 'Plan,Build'], { session: 's1' });
    const short = box.run(words, { session: 's1' });
    // With an option first, the whole command line is taken.
    const whole = box.run(['--cwd', box.root, ...words], { session: 's1' });
    expect(whole).toEqual(short);
    expect(`${short.stdout}${short.stderr}`).not.toBe('');
  });

  it('it is a fraction of the whole, without YAML', () => {
    expect(statSync(join(repository, 'dist/cli-status.cjs')).size).toBeLessThan(300_000);
    const inputs = Object.keys(metafileOf('cli-status').inputs);
    expect(inputs.filter((path) => path.startsWith('node_modules/yaml/'))).toEqual([]);
  });
});
