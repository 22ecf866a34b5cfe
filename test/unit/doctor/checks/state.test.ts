import { expect, test } from 'vitest';
import { checkState } from '../../../../src/doctor/checks/state.ts';
import { minimalPath, minimalState } from '../../../support/state.ts';
import { levels, makeDoctorProject, of } from '../support.ts';

test('a project without state files', () => {
  expect(levels(checkState.run(makeDoctorProject().doctorContext()))).toEqual(['ok']);
});

test('a state file with the required fields is in order', () => {
  const { doctorContext } = makeDoctorProject({ [minimalPath]: minimalState });
  expect(checkState.run(doctorContext())).toMatchObject([
    { level: 'ok', message: '1 state file read and valid' },
  ]);
});

test('reports an unreadable state file as broken and leaves it in place', () => {
  const { doctorContext, read } = makeDoctorProject({ [minimalPath]: '{"workflow": ' });
  expect(checkState.run(doctorContext())).toMatchObject([
    {
      level: 'broken',
      message: expect.stringContaining(`${minimalPath} cannot be read`),
      fix: expect.stringContaining(`holdfast validate ${minimalPath}`),
    },
  ]);
  expect(read(minimalPath)).toBe('{"workflow": ');
});

test.each(['untracked', 'untracked/workflow-state'])(
  'does not call a project in order where %s is a file',
  (path) => {
    const { doctorContext } = makeDoctorProject({ [path]: 'a file' });
    const failure = { code: 'blocked_path', path };
    expect(() => checkState.run(doctorContext())).toThrow(expect.objectContaining({ failure }));
  },
);

test('quotes the path for the shell in the suggested fix', () => {
  const path = minimalPath.replaceAll('release', 're; touch x #');
  expect(path).not.toBe(minimalPath);
  const { doctorContext } = makeDoctorProject({ [path]: '{' });
  expect(of('broken', checkState.run(doctorContext()))[0]?.fix).toContain(
    `holdfast validate '${path}'`,
  );
});

test('reports a usable but invalid state file with line numbers', () => {
  const state = { ...minimalState, phase: { ...minimalState.phase, current: 9 } };
  const { doctorContext } = makeDoctorProject({ [minimalPath]: state });
  expect(checkState.run(doctorContext())).toMatchObject([
    {
      level: 'warning',
      evidence: [`${minimalPath}:5: "phase.current" is 9, but there are only 3`],
    },
  ]);
});

test('names files that were moved aside until they are removed', () => {
  const aside = `${minimalPath}.corrupt-20250601_120000`;
  const { doctorContext } = makeDoctorProject({ [minimalPath]: minimalState, [aside]: '{' });
  expect(of('warning', checkState.run(doctorContext()))).toMatchObject([
    { message: '1 unreadable state file moved aside', evidence: [aside] },
  ]);
});

test('reports a state folder outside the project as broken', () => {
  const { doctorContext, link, outside } = makeDoctorProject();
  link('untracked/workflow-state', outside);
  expect(checkState.run(doctorContext())).toMatchObject([
    {
      level: 'broken',
      message: 'untracked/workflow-state cannot be used: outside the project',
    },
  ]);
});
