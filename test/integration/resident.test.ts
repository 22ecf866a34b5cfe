import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callBothWays } from '../support/both-ways.ts';
import { sandbox, type CallOptions, type Sandbox } from '../support/cli.ts';
import { recorded } from '../support/hooks.ts';

const SESSION = '5b0c1f6e-3d1a-4a53-9c0e-8f2d0a6b7c11';

function project(): Sandbox {
  return sandbox({
    'CLAUDE.local.md': '# Plan\n\n## Phase 1: Design\n\n## Phase 2: Build\n',
    'docs/spec.md': '# Spec\n',
    'docs/plan.md': '# Plan: Search\n\n- [ ] Login\n- [ ] Logout\n',
    '.claude/holdfast/workflows/delivery.yaml': [
      'name: Delivery',
      'description: Plans and builds.',
      'steps:',
      '  - { id: plan, type: action, context: clear, instructions: Write the plan. }',
      '  - { id: build, type: action, instructions: Build it., gate: "echo checked; echo wrong >&2; exit 3" }',
    ].join('\n'),
  });
}

function expectSame(box: Sandbox, words: string[], options?: CallOptions): void {
  const { own, resident } = callBothWays(box, words, options);
  expect(resident, words.join(' ')).toEqual(own);
}

describe('a call in the resident process prints and writes what a process of its own does', () => {
  it('in a session that works on a run from start to end', () => {
    const box = project();
    const inSession = { session: SESSION };
    const payload = { cwd: box.root, session_id: SESSION };
    for (const words of [
      ['start', 'Search', '--phases', 'Index,Query,Docs', '--read', 'docs/spec.md', '--json'],
      ['status'],
      ['advance', '--output', 'docs/plan.md'],
      ['update', '--remind', 'ünïcode \u{1f600}', '--set', 'budget=3'],
    ])
      expectSame(box, words, inSession);
    for (const name of ['precompact-auto', 'sessionstart-compact', 'sessionstart-clear'])
      expectSame(box, ['hook'], { input: recorded(name, payload) });
    for (const words of [
      ['guidance'],
      ['list', '--json'],
      ['show', '--json'],
      ['history'],
      ['export'],
      ['pause'],
      ['resume'],
      ['complete'],
      ['list', '--all'],
    ])
      expectSame(box, words, inSession);
  });

  it('with a template whose gate fails, so that a child process prints', () => {
    const box = project();
    for (const words of [
      ['validate', 'delivery'],
      ['trust', 'delivery', '--yes'],
      ['start', '--template', 'delivery', 'shop'],
      ['context', '--json'],
      ['advance', '--force'],
      ['advance'],
      ['advance', '--verbose'],
      ['advance', '--json'],
    ])
      expectSame(box, words, { session: SESSION });
    expect(box.run(['advance'], { session: SESSION }).stderr).toContain('wrong');
  });

  it.each([
    [0, ['--version']],
    [0, ['--help']],
    [0, ['help', 'start']],
    [0, ['statusline']],
    [0, []],
    [1, ['advance']],
    [1, ['show', 'nothing', '--json']],
    [1, ['trust', 'delivery']],
    [1, ['doctor']],
    [2, ['nonsense']],
    [2, ['start', '--phase', 'A']],
    [2, ['start', '--json', '--nonsense']],
  ])('with exit code %i: %j', (code, words) => {
    const { own, resident } = callBothWays(project(), words);
    expect(own.code).toBe(code);
    expect(resident).toEqual(own);
  });

  it('in a folder of the project, with an environment of its own', () => {
    const box = project();
    const options = { cwd: `${box.root}/docs`, env: { TZ: 'Asia/Tokyo', HOLDFAST: 'off' } };
    expectSame(box, ['start', 'Search', '--phases', 'A,B', '--read', 'spec.md'], options);
    expectSame(box, ['status'], { ...options, env: { TZ: 'Asia/Tokyo' } });
    expectSame(box, ['hook'], {
      ...options,
      input: recorded('precompact-auto', { cwd: box.root }),
    });
  });

  it('when it installs and removes itself', () => {
    const box = project();
    for (const words of [['init'], ['init', '--json'], ['doctor', '--json'], ['uninstall']])
      expectSame(box, words);
  });
});

it('neither the environment nor the folder of a call reaches the next one', () => {
  const box = project();
  writeFileSync(
    join(box.root, '.claude/holdfast/workflows/delivery.yaml'),
    `name: Delivery\ndescription: Builds.\nsteps:\n  - { id: a, type: action, instructions: b, gate: 'echo "$FLAVOUR in $PWD"; exit 1' }\n`,
  );
  box.run(['trust', 'delivery', '--yes']);
  box.run(['start', '--template', 'delivery', 'shop'], { session: SESSION });
  const options = { session: SESSION, env: { FLAVOUR: 'vanilla' }, cwd: join(box.root, 'docs') };
  expect(box.run(['advance'], options).stderr).toContain(`vanilla in ${box.root}`);
  expect(box.run(['advance'], { session: SESSION }).stderr).not.toContain('vanilla');
  expect(box.run(['status', '--json'], { cwd: box.home }).stdout).not.toContain('shop');
});

it('a call that crashes is reported, and the next one works', () => {
  const box = sandbox();
  expect(() => box.run(['status'], { cwd: join(box.root, 'missing') })).toThrow(/ENOENT/);
  expect(box.run(['--version']).code).toBe(0);
});
