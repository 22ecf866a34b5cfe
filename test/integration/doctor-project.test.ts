import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fse from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { git, sandbox, type Sandbox } from '../support/cli.ts';
import {
  boxWith,
  doctor,
  expectOne,
  findings,
  installedHooks,
  LOCAL,
  put,
  troubles,
  troublesIn,
  type Tree,
} from '../support/doctor.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';
import { minimalPath, minimalState } from '../support/state.ts';

const STATE = 'untracked/workflow-state';
const TEMPLATES = '.claude/holdfast/workflows';
const plain = { ...minimalState, required_reading: [] };

function inGit(tree: Tree): Sandbox {
  const box = boxWith(tree);
  git(box, 'init', '--quiet');
  return box;
}

const template = (more = ''): string =>
  `name: Release\ndescription: Ships it.\nsteps:\n  - id: ship\n    type: action\n    instructions: Ship it.\n${more}`;

const at = (name: string): string => minimalPath.replaceAll('release', name);
const reading = ['@a.md', '@gone.md', '@../other.md'];

it('of what can be used there is nothing to say', () => {
  const paused = { ...plain, required_reading: reading, status: 'paused' };
  const tree = { [minimalPath]: plain, [at('later')]: paused };
  const report = doctor(
    boxWith({ ...tree, [`${TEMPLATES}/release.yaml`]: template() }),
  );
  for (const check of ['state', 'sources', 'templates'])
    expectOne(troublesIn(report, check), []);
});

it('each state file, source and template with a mistake is named, with what can be done', () => {
  const odd = `${STATE}/re; touch x #/state-re-20251209_143052.json`;
  const report = doctor(
    boxWith({
      [at('broken')]: '{"workflow": ',
      [odd]: '{',
      'untracked/workflow-archive/old-20250101_000000.json': '{',
      [at('late')]: JSON.stringify(
        {
          ...plain,
          phase: { ...plain.phase, current: 9 },
          required_reading: ['@a; touch $HOME/x #'],
        },
        null,
        2,
      ),
      [minimalPath]: { ...plain, required_reading: reading },
      [`${minimalPath}.corrupt-20250601_120000`]: '{',
      'a.md': 'x',
      'CLAUDE.local.md': '# Workflow State\0',
      [`${TEMPLATES}/bad.yaml`]: 'name: Bad\nsteps: 3\n',
      [`${TEMPLATES}/a; touch x.yaml`]: template('    gate: npm test\n'),
      '~/.claude/holdfast/trusted-templates.json': '{',
    }),
  );
  for (const [check, ...said] of [
    [
      'state',
      `broken: ${at('broken')} cannot be read`,
      `holdfast validate ${at('broken')}`,
    ],
    ['state', `holdfast validate '${odd}'`],
    [
      'state',
      'broken: untracked/workflow-archive/old-20250101_000000.json cannot be read',
    ],
    [
      'state',
      'warning',
      `${at('late')}:5: "phase.current" is 9, but there are only 3`,
    ],
    ['state', 'warning: 1 unreadable state file moved aside'],
    [
      'sources',
      'warning',
      '@gone.md (missing)',
      '@../other.md (outside)',
      '--unread gone.md',
    ],
    ['sources', "--unread 'a; touch $HOME/x #'`"],
    ['sources', 'warning: CLAUDE.local.md was not read: binary'],
    [
      'templates',
      `warning: ${TEMPLATES}/bad.yaml cannot be used`,
      `${TEMPLATES}/bad.yaml:2: `,
      `holdfast validate ${TEMPLATES}/bad.yaml`,
    ],
    [
      'templates',
      'note',
      'step "ship":\n│ npm test',
      "`holdfast trust 'a; touch x'`",
    ],
    ['templates', 'warning', 'trusted-templates.json is not JSON'],
  ] as const)
    expectOne(troublesIn(report, check), said);
});

it('a state folder outside the project is broken', () => {
  const box = sandbox({ 'untracked/x': '' });
  symlinkSync(box.home, join(box.root, STATE));
  expectOne(troubles(box, 'state'), [
    `broken: ${STATE} cannot be used: outside the project`,
  ]);
});

it('a run that is behind its marker is named, with the command that goes there', () => {
  const marker = (phase: number): string =>
    `# Workflow State\nWorkflow: Feature\nPhase: ${phase}/5\n`;
  const box = boxWith({ 'CLAUDE.local.md': marker(2) });
  box.run(['resume', 'feature'], { session: 's1' });
  box.run(['update', 'feature', '--phase', '4'], { session: 's1' });
  expect(troubles(box, 'sources')).toEqual([]);
  put(box, 'CLAUDE.local.md', marker(5));
  expectOne(troubles(box, 'sources'), [
    'warning',
    'CLAUDE.local.md says phase 5/5',
    '--phase 5',
  ]);
});

describe('evidence', () => {
  const LOG = `${STATE}/holdfast.log`;
  const ago = (minutes: number): string =>
    new Date(Date.now() - minutes * 60_000).toISOString();

  it('is what hooks have recorded; hooks that did nothing are told how to be seen', () => {
    expectOne(findings(boxWith({}), 'evidence'), [
      'skipped: no hooks are registered',
    ]);
    const box = boxWith({ [LOCAL]: { hooks: installedHooks() } });
    expectOne(troubles(box, 'evidence'), [
      'note: no hook has left a trace',
      'type /compact',
    ]);
    box.run(['start', 'Shop'], { session: 's1' });
    preCompact(box, 's1');
    sessionStart(box, 's1', 'compact');
    const seen = [
      'ok: hooks have fired',
      'PreCompact: just now',
      'SessionStart: just now',
    ];
    expectOne(findings(box, 'evidence'), seen);
  });

  it('of failures is the end of the log, of less weight if it is old', () => {
    const lines = [9, 8, 7, 6].map(
      (minutes) => `${ago(minutes)} PreCompact failure ${minutes}`,
    );
    const box = boxWith({ [LOG]: `${lines.join('\n')}\n` });
    const [found = ''] = troubles(box, 'evidence');
    expect(found.split('\n')).toEqual([
      'warning: hooks have logged failures',
      ...lines.slice(1).map((line) => `"${line}"`),
      `fix: fix the causes, then delete ${LOG}`,
    ]);
    put(box, LOG, '2024-01-01T00:00:00.000Z hook Error: old\n');
    expectOne(troubles(box, 'evidence'), ['note', 'Error: old']);
    rmSync(join(box.root, LOG));
    mkdirSync(join(box.root, LOG));
    expectOne(findings(box, 'evidence'), [
      `skipped: ${LOG} is not a readable file`,
    ]);
  });
});

describe('a lock that is in the way', () => {
  const LOCK = `${STATE}/.lock`;
  const blocked = [
    'broken',
    `${LOCK} is not a file, so nothing can be written`,
    'holdfast doctor --fix',
  ];

  it.each<[what: string, make: (path: string) => void, left: RegExp | null]>([
    ['an empty folder', (path) => mkdirSync(path), null],
    [
      'a folder',
      (path) => fse.outputFileSync(join(path, 'x'), ''),
      /^\.lock\.corrupt-\d+_\d+$/,
    ],
    [
      'a FIFO',
      (path) => void execFileSync('mkfifo', [path]),
      /^\.lock\.corrupt-\d+_\d+$/,
    ],
  ])(
    '%s: every change is refused until --fix has moved it away',
    (_what, make, left) => {
      const box = boxWith({ [minimalPath]: plain });
      make(join(box.root, LOCK));
      box.run(['note', 'x'], { code: 1 });
      expectOne(troubles(box, 'state'), blocked);
      const { findings: found } = doctor(box, ['--fix']);
      expect(
        found.filter(
          ({ check, level }) => check === 'state' && level === 'broken',
        ),
      ).toEqual([]);
      box.run(['note', 'x']);
      const names = readdirSync(join(box.root, STATE)).filter((name) =>
        name.startsWith('.lock'),
      );
      expect(names).toEqual(left === null ? [] : [expect.stringMatching(left)]);
    },
  );

  it('is a file from the future: --fix removes it', () => {
    const box = boxWith({
      [minimalPath]: plain,
      [LOCK]: 'someone 1 another-machine',
    });
    utimesSync(join(box.root, LOCK), 2_000_000_000, 2_000_000_000);
    expectOne(troubles(box, 'state'), [
      'warning',
      `${LOCK} is dated in the future`,
      '2033-05-18',
    ]);
    doctor(box, ['--fix']);
    expect(existsSync(join(box.root, LOCK))).toBe(false);
    expect(troubles(box, 'state')).toEqual([]);
  });

  it('is one of your folder, which keeps you from installing or trusting', () => {
    for (const name of ['.lock', '.trust.lock']) {
      const box = boxWith({ [`~/.claude/holdfast/${name}/x`]: '' });
      expectOne(troubles(box, 'state'), ['broken', `${name} is not a file`]);
      doctor(box, ['--fix']);
      expect(troubles(box, 'state')).toEqual([]);
    }
  });

  it('is not the one that a writer has at this moment', () => {
    const box = boxWith({
      [minimalPath]: plain,
      [LOCK]: `someone ${process.pid} ${hostname()}`,
    });
    expect(troubles(box, 'state')).toEqual([]);
    expect(existsSync(join(box.root, LOCK))).toBe(true);
  });
});

it('a state of a newer version is named, with what to do, and is left alone', () => {
  const newer = { ...plain, schema_version: 2, later: { x: 1 } };
  const box = boxWith({ [minimalPath]: newer });
  const before = readFileSync(join(box.root, minimalPath), 'utf8');
  expectOne(troubles(box, 'state'), [
    'broken',
    `${minimalPath} was written by a newer version of holdfast (schema_version 2)`,
    'fix: update holdfast',
  ]);
  doctor(box, ['--fix']);
  expect(readFileSync(join(box.root, minimalPath), 'utf8')).toBe(before);
});

describe('git', () => {
  it('sees logs', () => {
    const logs = {
      '.gitignore': `${STATE}\n`,
      'untracked/workflow-logs/a/1.jsonl': '{}\n',
    };
    const box = inGit({ [minimalPath]: plain, ...logs });
    expectOne(troubles(box, 'state'), [
      'git does not ignore untracked/workflow-logs',
    ]);
  });

  it('does not ignore a folder: --fix writes a .gitignore, and keeps one that is there', () => {
    const box = inGit({ [minimalPath]: plain });
    const ignored = join(box.root, STATE, '.gitignore');
    expectOne(troubles(box, 'state'), [
      'warning',
      'fix: holdfast doctor --fix',
    ]);
    box.run(['doctor', '--fix'], { code: 1 });
    expect(readFileSync(ignored, 'utf8')).toBe('*\n');
    expect(troubles(box, 'state')).toEqual([]);
    put(box, `${STATE}/.gitignore`, '!*\n');
    const { findings: found } = doctor(box, ['--fix']);
    expect(found.map(({ fix }) => fix)).toContain(
      `add a line with * to ${STATE}/.gitignore`,
    );
    expect(readFileSync(ignored, 'utf8')).toBe('!*\n');
  });

  it('tracks state files: broken, also if doctor runs in a hook of another repository', () => {
    const box = inGit({ [minimalPath]: plain });
    git(box, 'add', '.');
    const said = ['broken', minimalPath, `git rm -r --cached ${STATE}`];
    expectOne(troubles(box, 'state'), said);
    const other = inGit({});
    expectOne(
      troubles(box, 'state', {
        code: 1,
        env: { GIT_DIR: join(other.root, '.git') },
      }),
      said,
    );
  });

  it('is asked without the programs that a repository configures', () => {
    const box = inGit({ [minimalPath]: plain, [`${STATE}/.gitignore`]: '*\n' });
    const sign = join(box.root, 'executed');
    chmodSync(put(box, 'evil.sh', `#!/bin/sh\ntouch '${sign}'\n`), 0o755);
    git(box, 'config', 'core.fsmonitor', join(box.root, 'evil.sh'));
    expect(troubles(box, 'state')).toEqual([]);
    expect(existsSync(sign)).toBe(false);
  });
});

it('sync that is on with a remote that is gone is broken', () => {
  const box = inGit({});
  git(box, 'remote', 'add', 'origin', 'https://example.org/shop.git');
  box.run(['sync', 'on', 'origin']);
  expectOne(troubles(box, 'sync'), []);
  git(box, 'remote', 'remove', 'origin');
  expectOne(troubles(box, 'sync'), ['broken', 'origin']);
});
