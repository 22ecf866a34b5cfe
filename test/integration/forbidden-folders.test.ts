import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { binary, repository, sandbox, type CallOptions, type Sandbox } from '../support/cli.ts';
import { preCompact, sessionStart } from '../support/hooks.ts';

const STATE = 'untracked/workflow-state';
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** Two runs, of which the folder of the second may not be read. Permissions do not stop root, so nobody works here. */
function withForbiddenRun(): Sandbox {
  const box = sandbox();
  box.run(['start', 'Mine', '--phases', 'A,B'], { session: 's1' });
  box.run(['start', 'Theirs'], { session: 's2' });
  const copy = join(box.home, 'holdfast');
  for (const name of ['bin/holdfast.cjs', ...bundles()])
    cpSync(join(repository, name), join(copy, name));
  const base = dirname(box.root);
  chmodSync(base, 0o755);
  if (isRoot)
    for (const path of ['.', ...readdirSync(base, { recursive: true, encoding: 'utf8' })])
      chownSync(join(base, path), NOBODY, NOBODY);
  const folder = join(box.root, STATE, 'theirs');
  chmodSync(folder, 0);
  onTestFinished(() => chmodSync(folder, 0o755));
  const program = isRoot ? join(copy, 'bin/holdfast.cjs') : binary;
  const run: Sandbox['run'] = (words, { input = '', session, env }: CallOptions = {}) => {
    const child = spawnSync(process.execPath, [program, ...words], {
      cwd: box.root,
      encoding: 'utf8',
      input,
      timeout: 20_000,
      env: {
        PATH: process.env['PATH'],
        HOME: box.home,
        ...(session === undefined ? {} : { CLAUDE_CODE_SESSION_ID: session }),
        ...env,
      },
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    return { code: child.status, stdout: child.stdout, stderr: child.stderr };
  };
  return { ...box, run };
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
    const { stdout } = box.run(['doctor']);
    expect(stdout).toContain(problem);
    expect(stdout).toContain(`chmod -R u+rwX ${STATE}/theirs`);
    expect(preCompact(box, 's1').stdout).toContain('Workflow: Mine');
    expect(sessionStart(box, 's1', 'compact').context).toContain('Workflow: Mine');
    expect(box.run(['advance'], { session: 's1' })).toMatchObject({ code: 0 });
  });

  it('refuses a run of the same name in one sentence', () => {
    const { code, stderr } = withForbiddenRun().run(['start', 'Theirs'], { session: 's3' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/theirs/);
    expect(stderr).toMatch(/EACCES/);
  });
});
