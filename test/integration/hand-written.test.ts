import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, sandbox, type Sandbox } from '../support/cli.ts';
import { preCompact } from '../support/hooks.ts';
import {
  archived,
  minimalPath,
  minimalState,
  onlyRun,
  readRun,
  writeTree,
} from '../support/state.ts';

function withMinimal(extra: object = {}): Sandbox {
  return sandbox({
    [minimalPath]: JSON.stringify({ ...minimalState, ...extra }),
    'docs/RELEASING.md': 'how',
  });
}

describe('a state file written by hand with only the required fields', () => {
  it('goes through every command', () => {
    const { root, run, json } = withMinimal();
    const options = { session: 's1' };
    expect(json(['status'])).toMatchObject({
      run: {
        workflow: 'Release Process',
        run_id: 'release-process-20251209_143052',
      },
      reading: [{ path: '@docs/RELEASING.md', state: 'unread' }],
    });
    expect(json(['list'])).toMatchObject({
      runs: [{ run_id: 'release-process-20251209_143052' }],
    });
    for (const words of [
      ['validate'],
      ['show', 'release-process'],
      ['history'],
      ['guidance'],
      ['resume', 'release-process'],
      ['update', '--set', 'version=2.0'],
      ['fail', '--reason', 'red'],
      ['update', '--status', 'in_progress'],
      ['pause'],
      ['resume'],
      ['release'],
      ['advance', 'release-process', '--name', 'Ship'],
    ]) {
      expect({ words, ...run(words, options) }).toMatchObject({ code: 0 });
    }
    expect(onlyRun(root)).toMatchObject({
      created_at: minimalState.created_at,
      phase: { current: 3, total: 3, name: 'Ship' },
      context: { version: '2.0' },
    });
    expect(run(['advance'], options).code).toBe(0);
    expect(archived(root)).toEqual([
      'release-process-20251209_143052.events.jsonl',
      'release-process-20251209_143052.json',
    ]);
  });

  it('keeps unknown keys, and an unknown type as it is written, through every update', () => {
    const { root, run } = withMinimal({
      workflow_type: 'release',
      x_mine: { deep: [1] },
      required_reading: ['docs/RELEASING.md'],
    });
    run(['update', '--set', 'a=1']);
    run(['advance']);
    expect(readRun(root, minimalPath)).toMatchObject({
      workflow_type: 'release',
      x_mine: { deep: [1] },
      required_reading: ['@docs/RELEASING.md'],
      context: { a: 1 },
    });
  });

  it('has as many phases as its list, also if the number was forgotten', () => {
    const phase = { current: 2, total: 2, name: 'B', status: 'in_progress' };
    const box = withMinimal({ phase, phases: ['A', 'B', 'C'] });
    expect(box.run([]).stdout).toMatch(
      /2\/3 B[^]*holdfast advance \(1 phase to go/,
    );
  });

  it('with another name or in another place is named by list and doctor', () => {
    const misplaced = [
      'mine.json',
      'x/mine.json',
      'x/deeper/state-x-20260101_000000.json',
    ];
    const box = sandbox(
      Object.fromEntries(
        misplaced.map((path) => [
          `untracked/workflow-state/${path}`,
          JSON.stringify(minimalState),
        ]),
      ),
    );
    box.run(['start', 'Own'], { session: 's1' });
    const { stderr } = box.run(['list']);
    const { stdout } = box.run(['doctor'], { code: 'any' });
    for (const path of misplaced)
      for (const text of [stderr, stdout])
        expect(text).toContain(
          `untracked/workflow-state/${path} is not read: a state file is`,
        );
    expect(`${stderr}${stdout}`.match(/is not read/g)).toHaveLength(6);
  });
});

describe('validate', () => {
  it('is strict although reading is lenient, and names file, line and field', () => {
    const state = {
      ...minimalState,
      workflow_type: 'release',
      required_reading: ['docs/a.md'],
      created_at: 'yesterday',
    };
    const { run } = sandbox({ [minimalPath]: JSON.stringify(state, null, 2) });
    const { code, stdout } = run(['validate'], { code: 1 });
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n')).toEqual([
      `${minimalPath}:3: "workflow_type" must be one of planning, qa-loop, implementation, custom, not "release"`,
      `${minimalPath}:11: "required_reading.0" must be a path that starts with @, not "docs/a.md"`,
      `${minimalPath}:13: "created_at" must be a time such as 2025-12-09T14:30:52Z, not "yesterday"`,
    ]);
  });

  it('points to the line of broken JSON and to missing fields', () => {
    const { run } = sandbox({
      'broken.json': '{\n  "workflow": "x",\n  oops\n}',
      'empty.json': '{}',
    });
    const { code, stdout } = run(
      ['validate', 'broken.json', 'empty.json', 'none.json'],
      {
        code: 1,
      },
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/^broken\.json:3: not JSON/);
    expect(stdout).toContain('empty.json:1: "phase" is missing');
    expect(stdout).toContain('none.json:1: there is no such file');
  });

  const artifact = (fields: object): object => ({
    critical_artifacts: { always_load: [{ ...fields }] },
  });
  const at = 'critical_artifacts.always_load.0';
  const FIELDS: [fields: object, problem: string | null][] = [
    [
      artifact({
        id: 'spec',
        type: 'markdown',
        path: 'a.md',
        reload_triggers: ['manual'],
      }),
      null,
    ],
    [artifact({ type: 'json' }), `"${at}.id" is missing`],
    [
      artifact({ id: 'a b' }),
      `"${at}.id" must consist of letters, digits, - and _, at most 100`,
    ],
    [artifact({ id: 'a', colour: 'red' }), `unknown key "${at}.colour"`],
    [artifact({ id: 'a', path: ' ' }), `"${at}.path" must not be blank`],
    [
      artifact({ id: 'a', reload_triggers: ['x'] }),
      `"${at}.reload_triggers.0" must be session_st`,
    ],
    [
      { critical_artifacts: { always: [] } },
      'unknown key "critical_artifacts.always"',
    ],
    [{ todo: { path: 'TODO.md', owned: true, digest: '0f', mine: 1 } }, null],
    [{ todo: { owned: true } }, '"todo.path" is missing'],
    [
      { todo: { path: 'a', owned: 'yes' } },
      '"todo.owned" must be true or false, not "yes"',
    ],
    [
      { phase: { ...minimalState.phase, current: 0 } },
      '"phase.current" must be at least 1, not 0',
    ],
    [{ run_id: 'mine' }, null],
    [{ run_id: 'not mine' }, "the file's name counts: release-process-1012"],
  ];

  it('names each field that is wrong, and no other', () => {
    const path = (index: number): string =>
      minimalPath.replace('20251209_143052', String(1_000 + index));
    const { run } = sandbox(
      Object.fromEntries(
        FIELDS.map(([fields], index) => [
          path(index),
          JSON.stringify({ ...minimalState, ...fields }),
        ]),
      ),
    );
    const lines = run(['validate'], { code: 1 }).stdout.split('\n');
    for (const [index, [fields, problem]] of FIELDS.entries()) {
      const found = lines.filter((line) => line.startsWith(path(index)));
      const expected =
        problem === null ? [] : [expect.stringContaining(problem)];
      expect(found, JSON.stringify(fields)).toEqual(expected);
    }
  });

  it('reports a run id that two files have, and checks the settings without being asked', () => {
    const state = JSON.stringify({ ...minimalState, run_id: 'mine' });
    const { run } = sandbox({
      [minimalPath]: state,
      [minimalPath.replaceAll('release-process', 'other')]: state,
      '.claude/holdfast.json': '{"colour": "red"}',
    });
    const { stdout } = run(['validate'], { code: 1 });
    expect(stdout.match(/"run_id" is not unique/g)).toHaveLength(2);
    expect(stdout).toContain('.claude/holdfast.json:1: unknown key "colour"');
  });

  it.each([
    ['{"restore": {"startup": "never"}}', '"restore.startup" must be one of'],
    ['{"workflow": ""}', '"workflow" must not be blank'],
    ['{"name": "T", "description": "d", "steps": []}', 'steps'],
  ])('knows a file elsewhere by its keys: %s', (content, problem) => {
    const { stdout } = sandbox({ 'x.json': content }).run(
      ['validate', 'x.json'],
      { code: 1 },
    );
    expect(stdout).toContain(problem);
  });

  it('accepts everything that holdfast writes', () => {
    const { run } = sandbox({ 'a.md': '' });
    run(
      [
        'start',
        'W',
        '--phases',
        'A,B',
        '--read',
        'a.md',
        '--artifact',
        'k=a.md',
      ],
      {
        session: 's1',
      },
    );
    run(['advance', '--output', 'x', '--artefact', 'a.md'], { session: 's1' });
    expect(run(['validate'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 file checked'),
    });
  });
});

describe('a state file that cannot be read', () => {
  it('is moved aside by the next write, reported, and costs no other run', () => {
    const broken =
      'untracked/workflow-state/bad/state-bad-20250101_000000.json';
    const { root, run, json } = sandbox({
      [broken]: '{"workflow": "half',
      [minimalPath]: JSON.stringify(minimalState),
    });
    expect(json(['status'])).toMatchObject({
      run: { workflow: 'Release Process' },
    });
    expect(readFileSync(join(root, broken), 'utf8')).toBe('{"workflow": "half');
    const { stderr, code } = run(['update', '--set', 'a=b']);
    expect(code).toBe(0);
    expect(stderr).toContain(broken);
    const { runs } = json(['list']) as { runs: object[] };
    expect(runs).toHaveLength(1);
    const aside = run(['list']).stderr;
    expect(aside).toBe('');
  });
});

describe('a state folder that an agent made', () => {
  const STATES = 'untracked/workflow-state';
  const written = (): Sandbox => {
    const box = sandbox({ [minimalPath]: JSON.stringify(minimalState) });
    git(box, 'init', '-q');
    return box;
  };

  it('is ignored by git once a hook has written into it', () => {
    const box = written();
    preCompact(box, 's1');
    expect(git(box, 'status', '--porcelain')).toBe('');
    rmSync(join(box.root, STATES, '.gitignore'));
    preCompact(box, 's1');
    expect(existsSync(join(box.root, STATES, '.gitignore'))).toBe(false);
  });

  it.each([
    ['beside a file', { [`${STATES}/notes.md`]: '' }, 'status', true],
    ['not if git tracks it', {}, 'add .', false],
    [
      'not if git ignores it',
      { '.gitignore': 'untracked/\n' },
      'status',
      false,
    ],
  ])('gets a .gitignore, %s', (_when, tree, words, expected) => {
    const box = written();
    writeTree(box.root, tree);
    git(box, ...words.split(' '));
    preCompact(box, 's1');
    expect(existsSync(join(box.root, STATES, '.gitignore'))).toBe(expected);
  });
});
