import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { checkSync } from '../../../../src/doctor/checks/sync.ts';
import { git, makeDoctorProject, type DoctorProject } from '../support.ts';

function synced(...settings: [key: string, value: string][]): DoctorProject {
  const project = makeDoctorProject();
  git(project, 'init', '--quiet');
  git(project, 'remote', 'add', 'origin', 'https://example.org/shop.git');
  git(project, 'config', 'holdfast.-.sync', 'origin');
  for (const [key, value] of settings) git(project, 'config', '--add', key, value);
  return project;
}

test.each([
  ['outside a repository', () => makeDoctorProject()],
  [
    'in a repository in which it is off',
    () => {
      const project = makeDoctorProject();
      git(project, 'init', '--quiet');
      return project;
    },
  ],
  ['in an ordinary clone', () => synced()],
])('passes %s', (_, make) => {
  expect(checkSync.run(make().doctorContext())).toMatchObject([{ level: 'ok' }]);
});

describe('refspecs that would destroy what was not sent', () => {
  test.each([
    '+refs/*:refs/*',
    '+refs/holdfast/*:refs/holdfast/*',
    'refs/*:refs/*',
    '+a:refs/holdfast/runs/-/a',
  ])('%s is named, with the command that excludes runs from it', (refspec) => {
    const project = synced(['remote.origin.fetch', refspec]);
    const [finding] = checkSync.run(project.doctorContext());
    expect(finding).toMatchObject({
      level: 'warning',
      evidence: [`remote.origin.fetch = ${refspec}`],
      fix: expect.stringContaining('^refs/holdfast/*'),
    });
    git(project, 'config', '--add', 'remote.origin.fetch', '^refs/holdfast/*');
    git(project, 'config', '--add', 'remote.origin.fetch', '^refs/worktree/*');
    expect(checkSync.run(project.doctorContext())).toMatchObject([{ level: 'ok' }]);
  });

  test('one exclusion is not enough for a refspec that prunes both folders', () => {
    const project = synced(
      ['remote.origin.fetch', '+refs/*:refs/*'],
      ['remote.origin.fetch', '^refs/holdfast/*'],
    );
    const [finding] = checkSync.run(project.doctorContext());
    expect(finding?.fix).toBe("git config --add remote.origin.fetch '^refs/worktree/*'");
  });

  test('a mirror and a forced push are named', () => {
    const project = synced(
      ['remote.origin.mirror', 'true'],
      ['remote.origin.push', '+refs/*:refs/*'],
    );
    expect(checkSync.run(project.doctorContext()).map(({ level }) => level)).toEqual([
      'warning',
      'warning',
    ]);
  });

  test('branches and tags do not matter', () => {
    const project = synced(
      ['remote.origin.fetch', '+refs/tags/*:refs/tags/*'],
      ['remote.origin.push', '+refs/heads/*:refs/heads/*'],
    );
    expect(checkSync.run(project.doctorContext())).toMatchObject([{ level: 'ok' }]);
  });
});

test('a remote that is gone is broken', () => {
  const project = synced();
  git(project, 'remote', 'remove', 'origin');
  expect(checkSync.run(project.doctorContext())).toMatchObject([
    { level: 'broken', message: expect.stringContaining('origin') },
  ]);
});

test('machines with another version are named', () => {
  const project = synced();
  const inRoot = { cwd: project.root, encoding: 'utf8' } as const;
  const { version } = project.doctorContext();
  const machines = {
    aa: { version, writes: 1, at: '2025-01-01' },
    bb: { version: '9.9.9', writes: 1, at: '2025-01-02' },
  };
  const input = JSON.stringify({ format: 1, machines });
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { ...inRoot, input }).trim();
  const tree = execFileSync('git', ['mktree'], {
    ...inRoot,
    input: `100644 blob ${blob}\trun.json\n`,
  }).trim();
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
  const commit = execFileSync('git', [...identity, 'commit-tree', tree, '-m', 'x'], inRoot).trim();
  git(project, 'update-ref', 'refs/holdfast/runs/-/a', commit);
  const [finding] = checkSync.run(project.doctorContext());
  expect(finding).toMatchObject({ level: 'note' });
  expect(finding?.evidence?.join('\n')).toContain('bb: 9.9.9');
  expect(finding?.evidence?.join('\n')).not.toContain('aa:');
});
