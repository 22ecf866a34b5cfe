import {
  chmodSync,
  chownSync,
  cpSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  binary,
  repository,
  runOther,
  sandbox,
  type CallOptions,
  type Sandbox,
} from '../support/cli.ts';
import type { Finding } from '../support/doctor.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';

const STATE = 'untracked/workflow-state';
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** Two runs. Permissions do not stop root, so nobody works here. */
function twoRuns(): Sandbox {
  const box = sandbox();
  box.run(['start', 'Mine', '--phases', 'A,B'], { session: 's1' });
  box.run(['start', 'Theirs'], { session: 's2' });
  const copy = join(box.home, 'holdfast');
  for (const name of ['bin', 'dist/module', ...bundles()])
    cpSync(join(repository, name), join(copy, name), { recursive: true });
  const base = dirname(box.root);
  chmodSync(base, 0o755);
  if (isRoot)
    for (const path of [
      '.',
      ...readdirSync(base, { recursive: true, encoding: 'utf8' }),
    ])
      chownSync(join(base, path), NOBODY, NOBODY);
  const program = isRoot ? join(copy, 'bin/holdfast.cjs') : binary;
  const run: Sandbox['run'] = (
    words,
    { input = '', session, env, code = 0 }: CallOptions = {},
  ) =>
    runOther(process.execPath, [program, ...words], {
      code,
      cwd: box.root,
      input,
      env: {
        PATH: process.env['PATH'],
        HOME: box.home,
        ...(session === undefined ? {} : { CLAUDE_CODE_SESSION_ID: session }),
        ...env,
      },
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
  return { ...box, run };
}

const OF_ROOT: [path: string, mode: number][] = [
  [STATE, 0o755],
  [STATE, 0],
  ['untracked', 0o700],
  ['untracked/workflow-archive', 0o755],
];

/** The folder of the second run may not be read. */
function withForbiddenRun(): Sandbox {
  const box = twoRuns();
  restrict(box, `${STATE}/theirs`, 0);
  return box;
}

function restrict(box: Sandbox, path: string, mode: number): void {
  const full = join(box.root, path);
  chmodSync(full, mode);
  onTestFinished(() => chmodSync(full, 0o755));
}

/** As after a command with sudo or in a container. */
function giveToRoot(box: Sandbox, path: string, mode: number): void {
  chownSync(join(box.root, path), 0, 0);
  restrict(box, path, mode);
}

function filesIn(box: Sandbox): string[] {
  return readdirSync(join(box.root, STATE), {
    recursive: true,
    encoding: 'utf8',
  }).toSorted();
}

function stateFindings(box: Sandbox): object[] {
  const { findings } = JSON.parse(
    box.run(['doctor', '--json'], { code: 'any' }).stdout,
  );
  return findings.filter(
    ({ check, level }: Finding) => check === 'state' && level === 'broken',
  );
}

function bundles(): string[] {
  return readdirSync(join(repository, 'dist'))
    .filter((name) => name.endsWith('.cjs'))
    .map((name) => `dist/${name}`);
}

describe('a run whose folder may not be read', () => {
  it('costs no command and no hook the other runs, and is reported', () => {
    const box = withForbiddenRun();
    const problem = `${STATE}/theirs cannot be read: not permitted`;
    for (const command of ['status', 'list']) {
      const { code, stdout, stderr } = box.run([command], { session: 's1' });
      expect({ command, code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(problem),
      });
      expect(stdout).toMatch(/mine/i);
    }
    const { stdout } = box.run(['doctor'], { code: 1 });
    expect(stdout).toContain(`chmod -R u+rwX ${join(box.root, STATE)}/theirs`);
    expect(preCompact(box, 's1').stdout).toContain('Workflow: Mine');
    expect(sessionStart(box, 's1', 'compact').context).toContain(
      'Workflow: Mine',
    );
    expect(box.run(['advance'], { session: 's1' })).toMatchObject({ code: 0 });
  });

  it('refuses a run of the same name in one sentence', () => {
    const { code, stderr } = withForbiddenRun().run(['start', 'Theirs'], {
      code: 1,
      session: 's3',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/theirs/);
    expect(stderr).toMatch(/EACCES/);
  });
});

describe('doctor in a project where commands cannot write', () => {
  it('names a folder of a run that its owner has closed, and the command that opens it', () => {
    const box = twoRuns();
    restrict(box, `${STATE}/mine`, 0o500);
    const before = filesIn(box);
    box.run(['advance'], { code: 1, session: 's1' });
    const fix = `chmod -R u+rwX ${join(box.root, STATE)}/mine`;
    expect(stateFindings(box)).toMatchObject([
      {
        message: `your user may not read and write ${STATE}/mine, so commands fail`,
        evidence: [expect.stringMatching(/^EACCES: .*mode 500/)],
        fix,
      },
    ]);
    expect(filesIn(box)).toEqual(before);
    runOther('sh', ['-c', fix], isRoot ? { uid: NOBODY, gid: NOBODY } : {});
    expect(box.run(['advance'], { session: 's1' }).code).toBe(0);
  });

  it('names a journal that is closed, and each folder of root', () => {
    const box = twoRuns();
    const names = readdirSync(join(box.root, STATE, 'theirs'));
    const journal = `${STATE}/theirs/${names.find((name) => name.startsWith('events-'))}`;
    chmodSync(join(box.root, journal), 0o400);
    const opened = `chmod -R u+rwX ${join(box.root, journal)}`;
    expect(stateFindings(box)).toMatchObject([{ fix: opened }]);
    chmodSync(join(box.root, journal), 0o600);
    expect(box.run(['complete'], { session: 's2' }).code).toBe(0);
    for (const [path, mode] of isRoot ? OF_ROOT : []) {
      giveToRoot(box, path, mode);
      const folder = join(box.root, path);
      expect(stateFindings(box), path).toMatchObject([
        {
          message: expect.stringContaining(
            `your user may not read and write ${path}`,
          ),
          fix: `sudo chown -R ${NOBODY}:${NOBODY} ${folder} && chmod -R u+rwX ${folder}`,
        },
      ]);
      chmodSync(folder, 0o755);
      chownSync(folder, NOBODY, NOBODY);
    }
  });
});

describe.runIf(isRoot)('a state folder that may not be read', () => {
  const commands = [['status'], ['validate'], ['advance'], []];

  it.each([STATE, 'untracked'])(
    'is named by every command that needs it: %s',
    (path) => {
      const box = twoRuns();
      giveToRoot(box, path, 0o700);
      for (const words of commands) {
        const { stdout, stderr } = box.run(words, { code: 1 });
        expect({ words, stdout, stderr }).toEqual({
          words,
          stdout: '',
          stderr: `holdfast: the file system refused ${join(box.root, STATE)} (EACCES); check the permissions of ${join(box.root, path)}\n`,
        });
      }
      expect(box.run(['templates'])).toMatchObject({ stderr: '' });
    },
  );

  it('does not keep hooks from what files declare', () => {
    const box = twoRuns();
    writeFileSync(
      join(box.root, 'CLAUDE.local.md'),
      '## Workflow State\nWorkflow: Shop\nPhase: 2/3 - Build\n',
    );
    giveToRoot(box, STATE, 0o700);
    const { stdout, stderr } = preCompact(box, 's3');
    expect(stdout).toContain('Shop');
    expect(stderr).toContain(`${STATE} cannot be read: not permitted`);
  });

  it('is no reason for doctor to suggest init, because the hooks work', () => {
    const box = twoRuns();
    expect(box.run(['init', '--scope', 'local'])).toMatchObject({ code: 0 });
    giveToRoot(box, STATE, 0o700);
    const { findings } = JSON.parse(
      box.run(['doctor', '--json'], { code: 'any' }).stdout,
    );
    const broken = findings.filter(({ level }: Finding) => level === 'broken');
    expect(broken).toMatchObject([{ check: 'state' }]);
  });
});

it('names the folder that a template cannot be written to', () => {
  const box = twoRuns();
  restrict(box, '.', 0o555);
  expect(box.run(['templates', 'new', 'foo'], { code: 1 })).toMatchObject({
    stderr: expect.stringMatching(`check the permissions of ${box.root}\n$`),
  });
});
