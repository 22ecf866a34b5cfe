import {
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git, sandbox, type Sandbox } from '../support/cli.ts';
import { minimalPath, minimalState, writeTree } from '../support/state.ts';

const FOLDER = '.claude/holdfast/workflows';

const deploy = `name: Deploy
description: Brings it to the servers
steps:
  - id: build
    type: action
    instructions: Build it
    gate: npm test
  - id: hosts
    type: loop
loops:
  hosts:
    - id: copy
      instructions: Copy it
      gate: |
        ping -c1 {task.title}
        echo \u202E\u001B[2K
`;

const broken =
  'name: Broken\ndescription: x\nsteps:\n  - id: a\n    type: acton\n';

describe('templates', () => {
  test('lists all templates, broken ones with their first problem', () => {
    const { run, json } = sandbox({
      [`${FOLDER}/deploy.yaml`]: deploy,
      [`${FOLDER}/broken.yaml`]: broken,
      [`${FOLDER}/feature.yaml`]:
        'name: Feature\nextends: feature\nsteps: [{id: ship, type: action, instructions: Ship}]\n',
    });
    const { stdout } = run(['templates']);
    expect(stdout).toMatch(/deploy +2 +project +Brings it to the servers/);
    expect(stdout).toMatch(/feature +6 +project/);
    expect(stdout).toMatch(/default +3 +built-in +Plan, build and verify/);
    expect(stdout).toContain(
      `${FOLDER}/broken.yaml:5: step "a": "type" must be one of action, loop, ralph, approval`,
    );
    expect(stdout).toContain('feature (built-in) is shadowed');
    expect(stdout).toContain(
      'deploy has 2 commands that will not run here until trusted: holdfast trust deploy',
    );
    expect(json(['templates'])).toMatchObject({
      templates: expect.arrayContaining([
        expect.objectContaining({
          id: 'broken',
          steps: null,
          problems: [expect.anything()],
        }),
        expect.objectContaining({
          id: 'deploy',
          name: 'Deploy',
          gates: 2,
          trusted: false,
        }),
        expect.objectContaining({
          id: 'feature',
          origin: 'built-in',
          shadowed: true,
        }),
      ]),
    });
  });
});

test('doctor prints nothing of a template that a terminal would obey', () => {
  const { run } = sandbox({ [`${FOLDER}/deploy.yaml`]: deploy });
  const { stdout } = run(['doctor', '--verbose'], { code: 1 });
  expect(stdout).toContain('│ echo <U+202E><U+001B>[2K');
  expect(stdout).not.toMatch(/[\u001B\u202E]/);
});

describe('validate', () => {
  test('checks the state files and the templates of the project', () => {
    const box = sandbox({
      [minimalPath]: JSON.stringify(minimalState),
      [`${FOLDER}/deploy.yaml`]: deploy,
    });
    expect(box.run(['validate']).stdout).toBe(
      '2 files checked, no problems found.\n',
    );
    writeFileSync(join(box.root, FOLDER, 'broken.yaml'), broken);
    const { stdout } = box.run(['validate'], { code: 1 });
    expect(stdout).toBe(
      `${FOLDER}/broken.yaml:5: step "a": "type" must be one of action, loop, ralph, approval, not "acton"\n`,
    );
    expect(box.json(['validate'], { code: 1 })).toMatchObject({
      checked: 3,
      problems: [{ file: `${FOLDER}/broken.yaml`, line: 5 }],
      error: { code: 'invalid_files' },
    });
  });

  test('recognises a given file by its path or its content', () => {
    const { run } = sandbox({
      'state.json': JSON.stringify({
        ...minimalState,
        required_reading: ['x'],
      }),
      'template.json': '{\n"name": "x",\n"steps": 5\n}',
      'docs/any.yml': broken,
      [`${FOLDER}/empty.json`]: '{}',
      [`${FOLDER}/child.yaml`]: 'name: Child\nextends: broken\n',
      [`${FOLDER}/broken.yaml`]: broken,
    });
    const validate = (file: string): string =>
      run(['validate', file], { code: 1 }).stdout;
    expect(validate('state.json')).toContain(
      '"required_reading.0" must be a path that starts with @, not "x"',
    );
    expect(validate('template.json')).toContain(
      'template.json:3: "steps" must be a list, not 5',
    );
    expect(validate('docs/any.yml')).toContain('docs/any.yml:5: step "a"');
    expect(validate(`${FOLDER}/empty.json`)).toContain('"steps" is missing');
    expect(validate('nothing.yaml')).toContain(
      'nothing.yaml:1: there is no such file',
    );
    // The file of a broken parent is named.
    expect(validate(`${FOLDER}/child.yaml`)).toMatch(/^\S+\/broken\.yaml:5: /);
  });
});

describe('trust', () => {
  const trusted = (home: string): unknown =>
    JSON.parse(
      readFileSync(
        join(home, '.claude/holdfast/trusted-templates.json'),
        'utf8',
      ),
    );

  test('shows every command with nothing hidden, and lets this content run them', () => {
    const box = sandbox({ [`${FOLDER}/deploy.yaml`]: deploy });
    const { stderr, stdout } = box.run(['trust', 'deploy', '--yes']);
    expect(stderr).toContain(
      `Deploy (${FOLDER}/deploy.yaml) runs these commands in the project ${box.root} and its git worktrees:\n`,
    );
    expect(stderr).toContain('  step "build"\n    │ npm test\n');
    expect(stderr).toContain(
      '  loop "hosts", sub-step "copy"\n    │ ping -c1 {task.title}\n    │ echo <U+202E><U+001B>[2K\n',
    );
    expect(stdout).toContain(
      `Deploy is now trusted with this content in ${box.root};`,
    );
    const file = join(box.root, FOLDER, 'deploy.yaml');
    expect(trusted(box.home)).toMatchObject({
      templates: [{ name: 'Deploy', file, project: box.root }],
    });
    expect(box.json(['templates'])).toMatchObject({
      templates: expect.arrayContaining([
        expect.objectContaining({ id: 'deploy', trusted: true }),
      ]),
    });
    expect(box.run(['trust', 'deploy']).stdout).toContain('is already trusted');
  });

  test('any change has to be trusted again, also one in the extended template', () => {
    const box = sandbox({
      [`${FOLDER}/deploy.yaml`]: deploy,
      [`${FOLDER}/mine.yaml`]: 'name: Mine\nextends: deploy\n',
    });
    for (const name of ['deploy', 'mine']) {
      box.run(['trust', name, '--yes']);
      box.run(['trust', name]);
    }
    writeTree(box.root, {
      [`${FOLDER}/deploy.yaml`]: deploy.replace('Build it', 'Build all'),
    });
    for (const name of ['deploy', 'mine'])
      box.run(['trust', name], { code: 1 });
  });

  test('without a terminal it needs --yes, and an agent cannot grant it', () => {
    const box = sandbox({ [`${FOLDER}/deploy.yaml`]: deploy });
    const { stdout, stderr } = box.run(['trust', 'deploy'], {
      code: 1,
      input: 'y\n',
    });
    expect(stdout).toBe('');
    expect(stderr).toContain('│ npm test');
    expect(stderr).toContain('run it again with --yes');
    for (const [options, words] of [
      [{ env: { CLAUDECODE: '1' } }, []],
      [{ session: 's1' }, []],
      [{}, ['--session', 's1']],
      [{ session: 's1' }, ['--session', '']],
    ] as const) {
      const refused = box.run(['trust', 'deploy', '--yes', ...words], {
        code: 1,
        ...options,
      });
      expect(refused.stderr).toContain('only a person can trust ');
    }
    expect(() => trusted(box.home)).toThrow('ENOENT');
  });
});

describe('trust counts for one project', () => {
  const GATED = `name: Gated
description: x
steps: [{id: build, type: action, instructions: x, gate: echo ran > ran.txt}, {id: end, type: action, instructions: y}]
`;
  const isTrusted = (
    box: Sandbox,
    id: string,
    cwd: string,
  ): boolean | undefined => {
    const { templates } = box.json(['templates'], { cwd }) as {
      templates: { id: string; trusted: boolean }[];
    };
    return templates.find((each) => each.id === id)?.trusted;
  };
  /** Another project with the same files. */
  const cloneOf = (box: Sandbox): string => {
    const clone = join(dirname(box.root), 'clone');
    cpSync(box.root, clone, { recursive: true });
    return clone;
  };

  test('the same content in another project runs nothing, for an agent or for `run`, until it is trusted there', () => {
    const box = sandbox({ [`${FOLDER}/gated.yaml`]: GATED });
    const clone = cloneOf(box);
    box.run(['trust', 'gated', '--yes']);
    const agent = { cwd: clone, session: 's1' };
    expect(box.run(['start', '--template', 'gated'], agent).stderr).toContain(
      'the user has to trust it for this project: holdfast trust gated',
    );
    const refused = box.run(['advance'], { ...agent, code: 1 }).stderr;
    expect(refused).toContain('is not trusted to run commands here');
    expect(refused).toContain(
      'trust it for this project with `holdfast trust gated',
    );
    const run = box.run(['run', '--template', 'gated', '--dry-run'], {
      cwd: clone,
      code: 'any',
    });
    expect(run.stderr).toContain('is not trusted to run commands here');
    expect(box.run(['doctor'], { cwd: clone, code: 'any' }).stdout).toContain(
      'has untrusted gates',
    );
    expect(existsSync(join(clone, 'ran.txt'))).toBe(false);
    expect(
      box.run(['trust', 'gated', '--yes'], { cwd: clone }).stderr,
    ).toContain(`in the project ${clone} and`);
    box.run(['advance'], agent);
    expect(readFileSync(join(clone, 'ran.txt'), 'utf8')).toBe('ran\n');
  });

  test('a built-in template with commands is asked about once for each project', () => {
    const box = sandbox();
    const clone = cloneOf(box);
    box.run(['trust', 'qa-loop', '--yes']);
    expect(box.run(['trust', 'qa-loop']).stdout).toContain(
      'is already trusted',
    );
    expect(
      box.run(['trust', 'qa-loop'], { cwd: clone, code: 1 }).stderr,
    ).toContain('npm test');
    box.run(['trust', 'qa-loop', '--yes'], { cwd: clone });
    expect(box.run(['untrust', 'qa-loop'], { cwd: clone }).stdout).toBe(
      `qa-loop is no longer trusted in ${clone}; its gates will not run there.\n`,
    );
    expect(isTrusted(box, 'qa-loop', clone)).toBe(false);
    expect(isTrusted(box, 'qa-loop', box.root)).toBe(true);
  });

  test('worktrees count as their repository', () => {
    const box = sandbox({ [`${FOLDER}/gated.yaml`]: GATED });
    rmSync(join(box.root, '.git'), { recursive: true });
    git(box, 'init', '-q');
    git(box, 'add', '.');
    git(box, 'commit', '-q', '-m', 'one');
    git(box, 'worktree', 'add', '-q', '../fix');
    const worktree = join(dirname(box.root), 'fix');
    expect(
      box.run(['trust', 'gated', '--yes'], { cwd: worktree }).stderr,
    ).toContain(`in the project ${box.root} and its git worktrees`);
    expect(isTrusted(box, 'gated', worktree)).toBe(true);
    expect(isTrusted(box, 'gated', box.root)).toBe(true);
    expect(box.run(['untrust', 'gated']).stdout).toContain(
      `no longer trusted in ${box.root};`,
    );
    expect(isTrusted(box, 'gated', worktree)).toBe(false);
  });

  test('an entry without a project counts where its file is; one for a built-in template is asked about again', () => {
    const box = sandbox({ [`${FOLDER}/gated.yaml`]: GATED });
    const clone = cloneOf(box);
    for (const name of ['gated', 'qa-loop']) box.run(['trust', name, '--yes']);
    const file = join(box.home, '.claude/holdfast/trusted-templates.json');
    const record = JSON.parse(readFileSync(file, 'utf8')) as {
      templates: object[];
    };
    const templates = record.templates.map((entry) => ({
      ...entry,
      project: undefined,
    }));
    writeFileSync(file, JSON.stringify({ version: 1, templates }));
    const trusted = [box.root, clone].map((root) => [
      isTrusted(box, 'gated', root),
      isTrusted(box, 'qa-loop', root),
    ]);
    expect(trusted).toEqual([
      [true, false],
      [false, false],
    ]);
    expect(box.run(['untrust', 'gated'], { cwd: clone }).stdout).toContain(
      'is not trusted in this',
    );
    box.run(['untrust', join(box.root, FOLDER, 'gated.yaml')], { cwd: clone });
    expect(isTrusted(box, 'gated', box.root)).toBe(false);
  });
});

test("trust is stored in the user's configuration folder of Claude Code; what came with the project does not count", () => {
  const box = sandbox({ [`${FOLDER}/deploy.yaml`]: deploy });
  const config = join(box.home, 'elsewhere');
  box.run(['trust', 'deploy', '--yes'], { env: { CLAUDE_CONFIG_DIR: config } });
  expect(
    readFileSync(join(config, 'holdfast/trusted-templates.json'), 'utf8'),
  ).toContain('Deploy');
  const env = { CLAUDE_CONFIG_DIR: join(box.root, 'cfg') };
  expect(
    box.run(['trust', 'deploy', '--yes'], { code: 1, env }).stderr,
  ).toContain('is inside the project, where trust does not count');
  cpSync(config, join(box.root, 'cfg'), { recursive: true });
  expect(box.json(['templates'], { env })).toMatchObject({
    templates: expect.arrayContaining([
      expect.objectContaining({ id: 'deploy', trusted: false }),
    ]),
  });
});

test('untrust takes it back, also of a template that was changed or deleted since', () => {
  const box = sandbox({ [`${FOLDER}/deploy.yaml`]: deploy });
  expect(box.run(['untrust', 'deploy']).stdout).toBe(
    'deploy is not trusted in this project; nothing to revoke.\n',
  );
  expect(box.run(['untrust', 'nothing'], { code: 1 }).stderr).toContain(
    '"nothing" was never trusted',
  );
  const path = join(box.root, FOLDER, 'deploy.yaml');
  box.run(['trust', 'deploy', '--yes']);
  writeFileSync(path, deploy.replace('Build it', 'Build it all'));
  expect(box.json(['untrust', 'deploy'])).toMatchObject({
    untrusted: [{ name: 'Deploy' }],
  });
  for (const name of ['deploy', `${FOLDER}/deploy.yaml`]) {
    writeFileSync(path, deploy);
    box.run(['trust', 'deploy', '--yes']);
    rmSync(path);
    expect(box.run(['untrust', name]).stdout).toContain('is no longer trusted');
  }
  writeFileSync(path, deploy);
  box.run(['trust', 'deploy'], { code: 1 });
});

test('a workflow file whose phases are an object is read as a template with one step a phase', () => {
  const phases = {
    frame: {
      pre_steps: ['Read the ticket.'],
      steps: [{ description: 'Write the frame.' }],
    },
    build: { steps: ['Build it.'], post_steps: ['Tell the user.'] },
  };
  const spec = {
    id: 'spec',
    type: 'markdown',
    path: 'spec.md',
    reload_triggers: ['compaction'],
  };
  const file = {
    id: 'default',
    phases,
    critical_artifacts: { always_load: [spec] },
  };
  const box = sandbox({ 'flow.json': JSON.stringify(file) });
  expect(box.run(['validate', 'flow.json']).stdout).toContain(
    'no problems found',
  );
  expect(box.run(['start', '--template', 'flow.json']).stdout).toContain(
    'Now: step 1 of 2 (frame).\nInstructions:\n  > - Read the ticket.\n  > - Write the frame.\n',
  );
  expect(box.run(['advance']).stdout).toContain(
    '  > - Build it.\n  > - Tell the user.\n',
  );
});
