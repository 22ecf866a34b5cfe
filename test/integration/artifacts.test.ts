import { execFileSync } from 'node:child_process';
import {
  existsSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  sandbox,
  type CallOptions,
  type Result,
  type Sandbox,
} from '../support/cli.ts';
import {
  hook,
  preCompact,
  sessionStart,
  type Started,
} from '../support/hooks.ts';
import { onlyRun, stateFiles, writeTree } from '../support/state.ts';

const S1: CallOptions = { session: 's1' };
const S2: CallOptions = { session: 's2' };

const template = `name: Ship It
description: Builds it from a specification
steps:
  - {id: plan, type: action, phase: Design, instructions: Plan it.}
  - {id: build, type: action, context: clear, instructions: Build it.}
  - {id: check, type: action, instructions: Check it.}
  - {id: ship, type: action, instructions: Ship it.}
critical_artifacts:
  always_load:
    - {id: spec, type: markdown, path: docs/spec.md, description: what is wanted, required: true, reload_triggers: [session_start]}
    - {id: lost, type: markdown, path: docs/lost.md, reload_triggers: [compaction]}
  conditional_load:
    - {id: budget, type: json, path: docs/budget.json, condition: state.context.paid == true, reload_triggers: [session_start]}
  phase_specific:
    - {id: rules, type: markdown, path: docs/rules.md, reload_triggers: ['phase_start:build']}
    - {id: moves, type: markdown, path: docs/moves.md, reload_triggers: [phase_transition]}
    - {id: last, type: markdown, path: docs/last.md, reload_triggers: ['phase_transition:check->ship']}
    - {id: asked, type: markdown, path: docs/asked.md, reload_triggers: [manual]}
`;

const IDS = ['spec', 'lost', 'budget', 'rules', 'moves', 'last', 'asked'];
const word = (id: string): string => `CONTENT-OF-${id.toUpperCase()}`;
const files = Object.fromEntries(
  IDS.map((id) =>
    id === 'budget'
      ? ['docs/budget.json', JSON.stringify({ limit: word(id) })]
      : [`docs/${id}.md`, `${word(id)}\n`],
  ),
);

/** The artifacts whose content stands in the text. */
const contentsIn = (text: string): string[] =>
  IDS.filter((id) => text.includes(word(id)));

function ok(result: Result): Result {
  expect(result).toMatchObject({ code: 0 });
  return result;
}

function project(
  tree: Record<string, string> = files,
  text = template,
): Sandbox {
  return sandbox({ '.claude/holdfast/workflows/ship.yaml': text, ...tree });
}

function started(tree?: Record<string, string>, text?: string): Sandbox {
  const box = project(tree, text);
  ok(box.run(['start', '--template', 'ship'], S1));
  return box;
}

const compacted = (box: Sandbox, session = 's1'): Started => {
  ok(preCompact(box, session));
  return sessionStart(box, session, 'compact');
};

const cleared = (box: Sandbox, from: string, to: string): Started => {
  ok(hook(box, 'sessionend-clear', { session_id: from }));
  return sessionStart(box, to, 'clear');
};

function readFile(box: Sandbox, path: string, session = 's1'): void {
  const file_path = join(box.root, path);
  ok(
    hook(box, 'posttooluse-read', {
      session_id: session,
      tool_input: { file_path },
      tool_response: {},
    }),
  );
}

const bytes = ({ root }: Sandbox): string =>
  stateFiles(root)
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join();

const inContext = ({
  root,
}: Sandbox): [id: string, trigger: string | undefined][] =>
  (onlyRun(root).context_metadata?.artifacts_in_context ?? []).map((entry) => [
    entry.artifact_id,
    entry.load_trigger,
  ]);

describe('a session that lost its context gets', () => {
  it('after a compaction, what compaction and session_start trigger, as `guidance` previews it', () => {
    const box = started();
    ok(preCompact(box, 's1'));
    const before = bytes(box);
    const shown = ok(box.run(['guidance', '--source', 'compact'], S1)).stdout;
    expect(bytes(box)).toBe(before);
    const { context } = sessionStart(box, 's1', 'compact');
    expect(shown.trimEnd()).toBe(context.trimEnd());
    expect(contentsIn(context)).toEqual(['spec', 'lost']);
    expect(context).toContain('\n- spec ("what is wanted"): content below\n');
    expect(context).toContain(
      'Artifact spec (@docs/spec.md)\n```\nCONTENT-OF-SPEC\n```',
    );
    expect(context.indexOf('ACTION REQUIRED')).toBeLessThan(
      context.indexOf('Critical artifacts'),
    );
  });

  it('after a clear that the run asked for, what session_start triggers, and the names of what was due at that step', () => {
    const box = started();
    const { stdout } = ok(box.run(['advance'], S1));
    expect(contentsIn(stdout)).toEqual(['rules', 'moves']);
    const { context } = cleared(box, 's1', 's2');
    expect(context).toContain('> Build it.');
    expect(contentsIn(context)).toEqual(['spec']);
    expect(inContext(box)).toEqual([['spec', 'session_start']]);
    expect(context).toContain(
      '\n- rules: run `holdfast prime --artifacts rules`\n',
    );
    expect(context).toContain(
      '\n- moves: run `holdfast prime --artifacts moves`\n',
    );
    expect(context).not.toContain('- last');
    const rules = ok(box.run(['prime', '--artifacts', 'rules'], S2)).stdout;
    expect(contentsIn(rules)).toEqual(['rules']);
    // The step has begun: another compaction is not its start.
    expect(compacted(box, 's2').context).not.toContain('--artifacts rules');
  });

  it('after any other clear, no content, and nothing counts as loaded', () => {
    const box = started();
    ok(box.run(['prime'], S1));
    const { context } = cleared(box, 's1', 's2');
    expect(context).toContain('Ship It');
    expect(contentsIn(context)).toEqual([]);
    expect(inContext(box)).toEqual([]);
  });

  it('nothing at a start that only offers the run, and when it resumes the run what session_start triggers', () => {
    const box = started();
    ok(box.run(['prime'], S1));
    expect(contentsIn(sessionStart(box, 's1', 'resume').context)).toEqual([]);
    ok(box.run(['release'], S1));
    const { context } = sessionStart(box, 's9', 'startup');
    expect(context).toContain('holdfast resume ship-it-');
    expect(contentsIn(context)).toEqual([]);
    expect(contentsIn(ok(box.run(['resume', 'ship-it'], S2)).stdout)).toEqual([
      'spec',
    ]);
    // What another session got before the run changed hands does not count.
    expect(inContext(box)).toEqual([['spec', 'session_start']]);
  });

  it('an artifact that is also required reading only once, and a Read counts for both', () => {
    const box = started();
    ok(box.run(['update', '--read', 'docs/spec.md'], S1));
    const { context } = compacted(box);
    expect(context.split(word('spec'))).toHaveLength(2);
    expect(context).toContain('@docs/spec.md (content below)');
    expect(context).not.toContain('- spec, what is wanted');
    expect(inContext(box)).toEqual([
      ['@docs/spec.md', 'compaction'],
      ['lost', 'compaction'],
    ]);
    ok(preCompact(box, 's1'));
    readFile(box, 'docs/spec.md');
    expect(inContext(box)).toEqual([
      ['@docs/spec.md', 'read'],
      ['spec', 'read'],
    ]);
    expect(box.json(['status'], S1)).toMatchObject({
      reading: [{ path: '@docs/spec.md', state: 'in_context' }],
    });
  });
});

describe('a start', () => {
  it('prints what session_start triggers, which counts as loaded in the session and not in a terminal', () => {
    const start = ['start', '--template', 'ship'];
    const box = project();
    expect(contentsIn(ok(box.run(start, S1)).stdout)).toEqual(['spec']);
    expect(inContext(box)).toEqual([['spec', 'session_start']]);
    const other = project();
    expect(contentsIn(ok(other.run(start)).stdout)).toEqual(['spec']);
    expect(contentsIn(ok(other.run(['resume', 'ship-it'], S1)).stdout)).toEqual(
      ['spec'],
    );
  });

  it('names a required one that is missing, and goes on', () => {
    const box = project({});
    const { stdout, stderr } = ok(box.run(['start', '--template', 'ship'], S1));
    expect(stdout).toContain(
      'Required: Artifact spec ("what is wanted"): missing: docs/spec.md',
    );
    expect(
      `${stdout}${stderr}`.match(/docs\/spec\.md does not exist/g),
    ).toHaveLength(1);
    expect(inContext(box)).toEqual([]);
  });
});

describe('where artifacts are declared', () => {
  it('in the settings for a run without a template, and not for one with', () => {
    const always_load = [
      { id: 'spec', type: 'markdown', path: 'docs/spec.md' },
    ];
    const settings = JSON.stringify({ critical_artifacts: { always_load } });
    const box = sandbox({ '.claude/holdfast.json': settings, ...files });
    ok(box.run(['start', 'Shop'], S1));
    expect(contentsIn(compacted(box).context)).toEqual(['spec']);
    writeTree(box.root, {
      '.claude/holdfast/workflows/bare.yaml':
        'name: Bare\ndescription: x\nsteps: [{id: a, type: action, instructions: Do.}]\n',
    });
    ok(box.run(['start', '--template', 'bare', '--switch'], S1));
    expect(contentsIn(compacted(box).context)).toEqual([]);
  });
});

describe('a move', () => {
  const advance = (box: Sandbox, ...words: string[]): Result =>
    box.run(['advance', ...words], S1);

  it('prints what the move triggers, names what is in the context already, unless it changed', () => {
    const box = started();
    expect(contentsIn(ok(advance(box)).stdout)).toEqual(['rules', 'moves']);
    expect(inContext(box)).toEqual([
      ['spec', 'session_start'],
      ['rules', 'phase_start:build'],
      ['moves', 'phase_transition'],
    ]);
    const { stdout } = ok(advance(box));
    expect(stdout).toContain('Artifact moves is already in context.');
    expect(contentsIn(stdout)).toEqual([]);
    writeTree(box.root, { 'docs/moves.md': `${word('moves')} CHANGED\n` });
    const last = ok(advance(box)).stdout;
    expect(last).toContain(`${word('moves')} CHANGED`);
    expect(contentsIn(last)).toEqual(['moves', 'last']);
  });

  it('is refused while a required one is missing, and nothing is written; --force goes on', () => {
    const demanding = template.replace(
      'docs/rules.md,',
      'docs/rules.md, required: true,',
    );
    const box = started({}, demanding);
    const before = bytes(box);
    const { stdout, stderr } = box.run(['advance'], { ...S1, code: 1 });
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^holdfast: required artifact missing: Artifact rules: missing: docs\/rules\.md does not exist; .*`holdfast advance ship-it-\S+ --force`\n$/,
    );
    expect(box.json(['advance'], { code: 1, ...S1 })).toMatchObject({
      error: { code: 'artifact_missing' },
    });
    expect(bytes(box)).toBe(before);
    const { stdout: forced } = ok(advance(box, '--force'));
    expect(forced).toContain('Artifact rules: missing');
    // An optional one is only told.
    expect(forced).toContain(
      'Artifact moves: missing: docs/moves.md does not exist; write it',
    );
    expect(onlyRun(box.root).machine).toMatchObject({ step: 'build' });
  });
});

describe('what is in the context', () => {
  it('is what guidance, prime and the Read tool loaded, until a compaction empties it', () => {
    const box = started();
    compacted(box);
    ok(box.run(['prime', '--artifacts', 'asked'], S1));
    readFile(box, 'docs/rules.md');
    const loaded: [string, string][] = [
      ['spec', 'compaction'],
      ['lost', 'compaction'],
      ['asked', 'manual'],
      ['rules', 'read'],
    ];
    expect(inContext(box)).toEqual(loaded);
    ok(preCompact(box, 's1'));
    expect(inContext(box)).toEqual([]);
  });

  it('excludes what another session or a person beside it read or primed', () => {
    const box = started();
    const before = bytes(box);
    readFile(box, 'docs/rules.md', 's2');
    const others = contentsIn(
      ok(box.run(['prime', '--run-id', 'ship-it'], S2)).stdout,
    );
    expect(others).toEqual(expect.arrayContaining(['spec', 'rules', 'moves']));
    expect(contentsIn(ok(box.run(['prime'])).stdout)).toContain('spec');
    expect(bytes(box)).toBe(before);
    const own = contentsIn(ok(box.run(['prime'], S1)).stdout);
    expect(own).toEqual(expect.arrayContaining(['rules', 'moves']));
    expect(own).not.toContain('spec');
  });
});

it('small directories, git and required artifacts are inlined, given to a session that resumes, and shown by status', () => {
  const box = sandbox({
    '.claude/holdfast.json': JSON.stringify({
      critical_artifacts: {
        always_load: [
          { id: 'notes', type: 'directory', path: 'notes' },
          { id: 'git', type: 'git_info' },
          { id: 'spec', type: 'markdown', path: 'spec.md', required: true },
        ],
      },
    }),
    'notes/one.md': 'FIRST NOTE',
    'spec.md': 'THE SPEC',
  });
  ok(box.run(['start', 'Shop', '--phases', 'A,B'], S1));
  expect(box.json(['status'], S1)).toMatchObject({
    artifacts: [
      { id: 'notes', state: 'in_context' },
      { id: 'git', state: 'in_context' },
      { id: 'spec', state: 'in_context', required: true },
    ],
  });
  const given = (source: string): string =>
    sessionStart(box, 's1', source).context;
  expect(given('resume')).not.toContain('THE SPEC');
  writeTree(box.root, { 'spec.md': 'ANOTHER SPEC' });
  expect(given('resume')).toContain('ANOTHER SPEC');
  expect(given('resume')).not.toContain('SPEC');
  const after = given('compact');
  expect(after).toContain('FIRST NOTE');
  expect(after).toContain('branch: ');
  writeTree(box.root, { 'notes/one.md': 'CHANGED' });
  rmSync(join(box.root, 'spec.md'));
  expect(box.run(['status'], S1).stdout).toMatch(
    /notes @notes: changed, loaded .*\n.*\n +spec \(required\) missing: spec\.md does not exist/,
  );
  expect(given('resume')).toMatch(/^Required and not there.*spec/m);
  const [, action = ''] = given('compact').split('ACTION REQUIRED');
  expect(action).toMatch(
    /\d\. Required and not there.*spec \(missing: spec\.md does not exist/,
  );
});

describe('prime', () => {
  const prime = (box: Sandbox, ...words: string[]): Result =>
    box.run(['prime', ...words], S1);

  it('prints all whose condition holds, in fences, and records it', () => {
    const box = started();
    const { stdout, stderr } = ok(prime(box, '--force'));
    expect(contentsIn(stdout)).toEqual(IDS.filter((id) => id !== 'budget'));
    expect(stdout).toContain(
      'Artifact spec ("what is wanted") @docs/spec.md (16 bytes)\n```\nCONTENT-OF-SPEC\n```\n',
    );
    expect(stderr).toContain(
      'budget skipped: the condition "state.context.paid == true" does not hold',
    );
    expect(inContext(box).every(([, trigger]) => trigger === 'manual')).toBe(
      true,
    );
    expect(onlyRun(box.root).context_metadata).toMatchObject({
      last_artifact_reload: expect.any(String),
      reload_count: 2,
    });
  });

  it('skips what was loaded in the last five minutes, unless it is forced, changed or gone', () => {
    const box = started();
    const at = (minutes: number): CallOptions => ({
      ...S1,
      now: new Date(Date.UTC(2030, 0, 1, 0, minutes)).toISOString(),
    });
    ok(box.run(['prime', '--force'], at(0)));
    const before = bytes(box);
    const again = box.run(['prime'], at(4));
    expect(again.stdout).toBe(
      'Nothing to load; use --force to load it again.\n',
    );
    expect(again.stderr).toContain('spec skipped: loaded ');
    expect(bytes(box)).toBe(before);
    expect(contentsIn(box.run(['prime', '--force'], at(0)).stdout)).toContain(
      'spec',
    );
    expect(contentsIn(box.run(['prime'], at(5)).stdout)).toContain('spec');
    writeTree(box.root, { 'docs/spec.md': 'another text' });
    expect(box.run(['prime'], at(6)).stdout).toContain('another text');
    rmSync(join(box.root, 'docs/spec.md'));
    const gone = box.run(['prime'], { ...at(7), code: 1 });
    expect(gone.stderr).toMatch(
      /docs\/spec.md does not exist.*; create it, then try again/,
    );
    writeTree(box.root, { 'docs/spec.md': 'x'.repeat(1_100_000) });
    const large = box.run(['prime'], { ...at(8), code: 1 });
    expect(large.stderr).toMatch(
      /too large.*; replace it by a text of at most 1 MB/,
    );
  });

  it('says whose artifacts they are, and stores a workflow that is only declared', () => {
    const box = sandbox({
      '.claude/holdfast.json':
        '{"critical_artifacts":{"always_load":[{"id":"spec","type":"markdown","path":"spec.md"}]}}',
      'spec.md': 'THE SPEC',
      'CLAUDE.local.md':
        '## Workflow State\nWorkflow: Shop\nPhase: 1/2 - Design\n',
    });
    expect(box.run(['prime', '--dry-run', 'shop']).stdout).toContain(
      '@spec.md',
    );
    expect(stateFiles(box.root)).toEqual([]);
    expect(box.run(['prime']).stdout).toContain('THE SPEC');
    expect(onlyRun(box.root).workflow).toBe('Shop');
    box.run(['start', 'Blog', '--phases', 'A,B']);
    expect(box.run(['prime']).stderr).toMatch(
      /about blog-\S+; also active: shop-/,
    );
    expect(box.run(['prime', 'shop', '--force']).stdout).toContain('THE SPEC');
  });

  it('refuses what there is not with the existing values, and writes nothing', () => {
    const box = started();
    const before = bytes(box);
    for (const [words, code, message] of [
      [
        '--artifacts spec,sepc',
        1,
        'this run has no artifact "sepc"; available: spec, lost, ',
      ],
      ['--run-id nothing', 1, 'nothing'],
      ['--artifacts=', 2, '--artifacts'],
      ['--max-chars many', 2, '--max-chars'],
      ['--max-chars 0', 2, '--max-chars'],
    ] as const)
      expect(
        box.run(['prime', ...words.split(' ')], { ...S1, code }),
        words,
      ).toMatchObject({
        stdout: '',
        stderr: expect.stringContaining(message),
      });
    expect(bytes(box)).toBe(before);
  });

  it('fails if a required one is missing, with the rest printed and recorded', () => {
    const { 'docs/spec.md': _spec, ...rest } = files;
    const box = started(rest);
    const { stdout, stderr } = box.run(['prime'], { ...S1, code: 1 });
    expect(contentsIn(stdout)).toEqual([
      'lost',
      'rules',
      'moves',
      'last',
      'asked',
    ]);
    expect(stdout).toContain(
      'Artifact spec ("what is wanted"): missing: docs/spec.md does not',
    );
    expect(stderr).toContain('required artifact missing: Artifact spec');
    expect(stderr).toContain('create it, then try again');
    expect(inContext(box)).toHaveLength(5);
    expect(box.json(['prime', '--force'], { code: 1, ...S1 })).toMatchObject({
      error: { code: 'artifact_missing' },
      loaded: expect.arrayContaining([
        expect.objectContaining({ id: 'rules' }),
      ]),
      missing: ['spec'],
    });
  });

  it('prints no more than allowed: the rest by path and size, which does not count as loaded', () => {
    const lost = `${word('lost')}${'x'.repeat(30_000)}`;
    const box = started({
      ...files,
      'docs/lost.md': lost,
      'docs/asked.md': '',
    });
    const named =
      'Artifact lost: @docs/lost.md (30 KB), to be opened with the Read tool';
    const { stdout } = ok(box.run(['prime']));
    expect(stdout.length).toBeLessThanOrEqual(25_001);
    expect(stdout).toContain(named);
    expect(box.json(['prime'], S1)).toMatchObject({
      run_id: expect.stringMatching(/^ship-it-/),
      loaded: [
        {
          id: 'rules',
          kind: 'text',
          text: `${word('rules')}\n`,
          path: 'docs/rules.md',
          size: 17,
        },
        { id: 'moves' },
        { id: 'last' },
      ],
      named: [
        { id: 'lost', state: 'text', words: named },
        {
          id: 'asked',
          state: 'empty',
          words: 'Artifact asked: @docs/asked.md is empty',
        },
      ],
      skipped: [
        { id: 'spec', why: 'loaded just now' },
        { id: 'budget', why: expect.stringContaining('does not hold') },
      ],
      missing: [],
    });
    expect(inContext(box).map(([id]) => id)).not.toContain('lost');
    expect(contentsIn(ok(prime(box, '--max-chars', '40000')).stdout)).toEqual([
      'lost',
    ]);
    expect(
      contentsIn(ok(prime(box, '--force', '--max-chars', '1')).stdout),
    ).not.toContain('lost');
  });

  it('--dry-run shows what, where, how large and why, and writes nothing', () => {
    const box = started({ ...files, 'docs/asked.md': 'x'.repeat(4_000) });
    const before = bytes(box);
    const { stdout } = ok(prime(box, '--dry-run'));
    const row = (id: string): string =>
      new RegExp(`^${id} .*$`, 'm').exec(stdout)?.[0] ?? '';
    expect(row('spec')).toMatch(/@docs\/spec\.md +16 bytes +.*SKIP: loaded /);
    expect(row('budget')).toMatch(
      /state\.context\.paid == true +SKIP: the condition/,
    );
    expect(row('asked')).toMatch(/@docs\/asked\.md +4 KB +LOAD: manual/);
    expect(stdout).toContain(
      '5 artifacts to load, 4 KB; 2 skipped. Nothing was loaded.',
    );
    expect(contentsIn(stdout)).toEqual([]);
    const [first, second, ...rest] = IDS;
    expect(
      box.json(['prime', '--dry-run', '--artifacts', 'spec,lost'], S1),
    ).toMatchObject({
      artifacts: [
        {
          id: first,
          type: 'markdown',
          where: '@docs/spec.md',
          size: 16,
          condition: null,
          verdict: 'SKIP',
          why: 'loaded just now',
        },
        { id: second, size: 16, verdict: 'LOAD', why: 'manual' },
        ...rest.map((id) => ({ id, verdict: 'SKIP', why: 'not asked for' })),
      ],
      totals: { load: 1, skip: 6, bytes: 16 },
    });
    expect(bytes(box)).toBe(before);
  });
});

/** What `prime` prints of the artifacts of a run that knows work_id 7. */
function primed(
  artifacts: object[],
  tree: Record<string, string> = {},
  make?: (box: Sandbox) => void,
): string {
  const always_load = artifacts.map((fields, n) => ({
    id: `a${n}`,
    type: 'markdown',
    ...fields,
  }));
  const settings = JSON.stringify({ critical_artifacts: { always_load } });
  const box = sandbox({ '.claude/holdfast.json': settings, ...tree });
  make?.(box);
  const facts = [
    'work_id=7',
    'spec=s1.md',
    'the spec=s2.md',
    'specs=["s3.md"]',
  ];
  const set = facts.flatMap((fact) => ['--set', fact]);
  ok(
    box.run(
      [
        'start',
        'Shop',
        '--phases',
        'A,B',
        ...set,
        '--artifact',
        'spec=docs/258.md',
      ],
      S1,
    ),
  );
  const { stdout } = ok(
    box.run(['prime', '--force', '--max-chars', '2000000'], S1),
  );
  expect(existsSync(join(box.root, 'hit'))).toBe(false);
  expect(stdout).not.toContain('HIDDEN');
  return stdout;
}

describe('an artifact', () => {
  const folder = (load_strategy?: string): object => ({
    type: 'directory',
    path: 'notes',
    load_strategy,
  });
  const NOTES = {
    'notes/b.md': 'two\r\nlines\r\n',
    'notes/a.md': 'one',
    'notes/deep/größe 1.md': 'three\n',
    'notes/.secret': 'HIDDEN',
    'notes/.git/config': 'HIDDEN',
    'notes/node_modules/x/index.js': 'HIDDEN',
    'notes/c.bin': '\0',
    'other.md': 'HIDDEN',
  };
  const outside = / was not loaded: outside the project/;

  const rows: [what: string, fields: object, expected: RegExp][] = [
    [
      'a file of any name',
      { path: 'docs/with spaces/größe 大.md' },
      /\nGröße\n/,
    ],
    [
      'a path from the state',
      { path_from_state: '$.artifacts.spec' },
      /\nTEXT OF 258\n/,
    ],
    ['a path with a fact', { path: 'w/{work_id}.md' }, /\nTEXT OF 7\n/],
    [
      'a fact that is missing',
      { path: 'plans/{plan_id}.md' },
      /\{plan_id\} has no value in this run; `holdfast update --set plan_id=<value>`/,
    ],
    ['blank', { path: 'blank.md' }, /@blank\.md is empty/],
    ['JSON as it is written', { type: 'json', path: 'a.json' }, /\{ "a":1 \}/],
    [
      'JSON that does not parse',
      { type: 'json', path: 'b.json' },
      /b\.json .*not valid JSON/,
    ],
    ['a path that leads out', { path: '~/secret.md' }, outside],
    ['an absolute path', { path: '/etc/passwd' }, outside],
    [
      'a command, which is named and never run',
      { type: 'work_plugin', command: 'touch hit {work_id}' },
      /the project asks for the command "touch hit 7"/,
    ],
    [
      'a command in a file type',
      { command: '$(touch hit)' },
      /the project asks for the command "\$\(touch hit\)"/,
    ],
    [
      'a skill',
      { type: 'skill', command: 'code-review' },
      /the project asks for the skill "code-review"/,
    ],
    [
      'a skill that is a file',
      { type: 'skill', path: 's/SKILL.md' },
      /the project asks to follow @s\/SKILL\.md/,
    ],
    [
      'a folder, hidden files and node_modules left out',
      folder(),
      /--- notes\/a\.md ---\none\n\n--- notes\/b\.md ---\ntwo\r?\nlines\n\n--- notes\/deep\/größe 1\.md ---\nthree\n\nLeft out: notes\/c\.bin \(binary\)/,
    ],
    [
      'a summary of a folder',
      folder('summary'),
      /notes\/a\.md \(3 bytes\)\nnotes\/b\.md \(12 bytes\)/,
    ],
    [
      'a folder without files',
      { type: 'directory', path: 'none' },
      / is empty/,
    ],
    [
      'a summary of a file',
      { path: 'long.md', load_strategy: 'summary' },
      /\n# T\nFirst\n`/,
    ],
    [
      'a place in the state',
      { path_from_state: '$.context.spec' },
      /\nSPEC 1\n/,
    ],
    ['a place without $', { path_from_state: 'context.spec' }, /\nSPEC 1\n/],
    [
      'a place in `state`',
      { path_from_state: 'state.context.spec' },
      /\nSPEC 1\n/,
    ],
    [
      'a quoted place',
      { path_from_state: "context['the spec']" },
      /\nSPEC 2\n/,
    ],
    [
      'a place in a list',
      { path_from_state: "$['context'].specs[0]" },
      /\nSPEC 3\n/,
    ],
  ];

  it('may be a file, a folder, a place, a command or a skill', () => {
    const text = primed(
      rows.map(([, fields]) => fields),
      {
        ...NOTES,
        'docs/with spaces/größe 大.md': 'Größe',
        'docs/258.md': 'TEXT OF 258',
        'w/7.md': 'TEXT OF 7',
        'blank.md': ' \r\n\t\n',
        'a.json': '{ "a":1 }\n',
        'b.json': '{ "a":1, }',
        's/SKILL.md': 'x',
        'none/.gitkeep': '',
        'long.md': '# T\n\nFirst\nSecond\n',
        's1.md': 'SPEC 1',
        's2.md': 'SPEC 2',
        's3.md': 'SPEC 3',
      },
    );
    const parts = new Map(
      text
        .split(/^Artifact (?=a\d+\b)/m)
        .map((part) => [/^a\d+/.exec(part)?.[0], part]),
    );
    for (const [n, [what, , expected]] of rows.entries())
      expect(parts.get(`a${n}`), what).toMatch(expected);
  });

  it('has no place or condition that cannot be followed: validate reports it', () => {
    const bad =
      '{ "id": "a", "type": "json", "path": "a.json", "condition": "state ==", "reload_triggers": [] }';
    const artifacts = `"critical_artifacts": { "always_load": [\n ${bad}] }`;
    const other = sandbox({
      'a.yaml': `name: x\ndescription: x\nsteps: [{ id: a, type: action, instructions: x }]\n${artifacts}\n`,
      '.claude/holdfast.json': `{ ${artifacts} }`,
    });
    const found = other.run(['validate', 'a.yaml', '.claude/holdfast.json'], {
      code: 1,
    });
    expect(found.stdout).toMatch(
      /^a\.yaml:5: "critical_artifacts.always_load.0.condition" is not/,
    );
    expect(found.stdout).toContain(
      '.claude/holdfast.json:2: "critical_artifacts',
    );
    const places = ['$..spec', 'context[spec]', 'context.*'];
    const always_load = places.map((path_from_state, n) => ({
      id: `a${n}`,
      type: 'markdown',
      path_from_state,
    }));
    const box = sandbox({
      '.claude/holdfast.json': JSON.stringify({
        critical_artifacts: { always_load },
      }),
    });
    const { stdout } = box.run(['validate'], { code: 1 });
    expect(stdout.match(/path_from_state" must be a place/g)).toHaveLength(
      places.length,
    );
  });

  it('of a folder is the file that was changed last, with latest_only', () => {
    const text = primed([folder('latest_only')], NOTES, ({ root }) => {
      for (const name of ['a.md', 'b.md', 'c.bin'])
        utimesSync(join(root, 'notes', name), 1_000, 1_000);
      utimesSync(join(root, 'notes/.secret'), 9e9, 9e9);
    });
    expect(text).toContain('three');
    expect(text).not.toContain('one');
  });

  it('of a folder never leaves the project by a link, and waits for no FIFO', () => {
    const artifacts = [
      folder('all'),
      folder('summary'),
      folder('latest_only'),
      { path: 'pipe' },
    ];
    const text = primed(
      artifacts,
      { 'notes/a.md': 'one' },
      ({ root, home }) => {
        writeFileSync(join(home, 'secret.md'), 'HIDDEN');
        symlinkSync(join(home, 'secret.md'), join(root, 'notes/file.md'));
        symlinkSync(home, join(root, 'notes/folder'));
        symlinkSync(join(root, 'notes'), join(root, 'notes/loop'));
        for (const pipe of ['notes/pipe', 'pipe'])
          execFileSync('mkfifo', [join(root, pipe)]);
      },
    );
    expect(text).not.toMatch(/secret|loop/);
    expect(text).toContain('was not loaded: not a file');
  });

  it('of a folder is bounded in bytes and files, and says what is left out', () => {
    const half = 'x'.repeat(400_000);
    const text = primed(
      [folder(), { type: 'directory', path: 'many', load_strategy: 'summary' }],
      {
        'notes/1.md': half,
        'notes/2.md': half,
        'notes/3.md': half,
        'notes/4.md': 'small',
        ...Object.fromEntries(
          Array.from({ length: 400 }, (_, n) => [`many/${1000 + n}.md`, 'x']),
        ),
      },
    );
    expect(text).toMatch(
      /--- notes\/4\.md ---\nsmall\n\nLeft out: notes\/3\.md \(too large\)/,
    );
    expect(text).toContain('Left out: 200 more files');
  });
});

it('a path that begins with {project_root} is the same file as without it; a name is no part of the path, unless the file has it', () => {
  const box = sandbox({
    'specs/x.md': 'x',
    'docs/plan.md': 'p',
    'a=b.md': 'x',
  });
  const [spec, plan] = [
    '{project_root}/specs/x.md',
    '{project_root}/docs/plan.md',
  ];
  box.run([
    'start',
    'Shop',
    '--phases',
    'A,B',
    '--artifact',
    `spec=${spec}`,
    '--read',
    plan,
  ]);
  box.run([
    'advance',
    '--artifact',
    plan,
    '--artifact',
    'plan=docs/plan.md',
    '--artifact',
    'a=b.md',
  ]);
  expect(onlyRun(box.root)).toMatchObject({
    required_reading: ['@docs/plan.md'],
    artifacts: { spec, plan },
    outputs: { '1': { artefacts: ['docs/plan.md', 'a=b.md'] } },
  });
});
