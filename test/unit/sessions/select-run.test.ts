import { describe, expect, test } from 'vitest';
import { findRun, shortName } from '../../../src/sessions/select-run.ts';
import type { Run } from '../../../src/state/types.ts';
import { aRun } from '../../support/runs.ts';

describe('a run is named', () => {
  const auth = aRun({ workflow: 'User Auth (v2)' });
  const build = aRun({ workflow: 'Build' });
  const builder = aRun({ workflow: 'Builder' });
  const runs = [auth, builder, build];

  test.each([
    ['user-auth-v2-20250501_080000', auth, 'run id'],
    ['user-auth-v2', auth, 'slug'],
    ['User Auth (v2)', auth, 'workflow name'],
    ['USER-AUTH-V2', auth, 'any case'],
    [' user-auth-v2 ', auth, 'spaces around it'],
    ['us', auth, 'a unique prefix'],
    ['build', build, 'a whole name before a prefix'],
    ['builder-2025', builder, 'a prefix of the run id'],
  ])('%s: %s', (name, expected) => {
    expect(findRun(runs, name)).toMatchObject({ kind: 'run', run: expected });
  });

  test('a prefix of several is refused also where only one of them is active', () => {
    const paused = aRun({ workflow: 'Buildings', status: 'paused' });
    expect(findRun([paused, build], 'buil').kind).toBe('ambiguous');
  });

  test('of equal names the only active one is meant', () => {
    const former = aRun(
      { workflow: 'Build', status: 'paused' },
      { runId: 'build-1' },
    );
    expect(findRun([former, build], 'build')).toEqual({
      kind: 'run',
      run: build,
    });
    const second = aRun({ workflow: 'Build' }, { runId: 'build-2' });
    expect(findRun([former, build, second], 'build').kind).toBe('ambiguous');
  });

  test('the run id is beyond doubt, also where another workflow is called so', () => {
    const impostor = aRun({ workflow: build.runId }, { runId: 'impostor' });
    expect(findRun([impostor, build], build.runId)).toEqual({
      kind: 'run',
      run: build,
    });
  });

  test('letters count, not how their accents are encoded', () => {
    expect(
      findRun([aRun({ workflow: 'Лёд' })], 'лёд'.normalize('NFD')).kind,
    ).toBe('run');
  });
});

describe('a run that a file declares', () => {
  const declaredIn = (path: string, workflow = 'Tasks'): Run =>
    aRun(
      { workflow, source: { kind: 'plan', path } },
      { runId: `tasks-${path.length}` },
    );
  const login = declaredIn('specs/001-login/tasks.md');
  const search = declaredIn('specs/002-searches/tasks.md');
  const runs = [login, search];

  test.each([
    'specs/001-login/tasks.md',
    './specs/001-login/tasks.md',
    '@specs/001-login/tasks.md',
    'specs/001',
  ])('is named by the path of that file: %s', (name) => {
    expect(findRun(runs, name)).toMatchObject({ kind: 'run', run: login });
  });

  test('has its slug as the short name, else the path, else the id', () => {
    expect(shortName(login, [login])).toBe('tasks');
    expect(shortName(login, runs)).toBe('specs/001-login/tasks.md');
    const spaced = declaredIn('my specs/tasks.md');
    expect(shortName(spaced, [spaced, ...runs])).toBe(spaced.runId);
    const section = (workflow: string, runId: string): Run =>
      aRun(
        { workflow, source: { kind: 'local-file', path: 'CLAUDE.local.md' } },
        { runId },
      );
    const first = section('Tasks', 'tasks-1');
    expect(shortName(first, [first, section('Shop', 'shop-1'), ...runs])).toBe(
      'tasks-1',
    );
  });
});
