import { expect, test } from 'vitest';
import { checkArtifacts } from '../../../../src/doctor/checks/artifacts.ts';
import { minimalPath, minimalState } from '../../../support/state.ts';
import { levels, makeDoctorProject, of } from '../support.ts';

const withArtifact = (artifact: object): object => ({
  ...minimalState,
  critical_artifacts: { always_load: [{ id: 'spec', type: 'markdown', ...artifact }] },
});

test('a run without artifacts', () => {
  const { doctorContext } = makeDoctorProject({ [minimalPath]: minimalState });
  expect(levels(checkArtifacts.run(doctorContext()))).toEqual(['ok']);
});

test('artifacts that are there', () => {
  const { doctorContext } = makeDoctorProject({
    [minimalPath]: withArtifact({ path: 'spec.md' }),
    'spec.md': 'The rules.',
  });
  expect(checkArtifacts.run(doctorContext())).toMatchObject([
    { level: 'ok', message: '1 critical artifact can be loaded' },
  ]);
});

test.each([
  [true, 'warning'],
  [false, 'note'],
] as const)('one that is missing, required: %s', (required, level) => {
  const { doctorContext } = makeDoctorProject({
    [minimalPath]: withArtifact({ path: 'spec.md', required }),
  });
  expect(of(level, checkArtifacts.run(doctorContext()))).toMatchObject([
    { evidence: [expect.stringContaining('spec.md does not exist')] },
  ]);
});

test('reports an invalid declaration by its name', () => {
  const { doctorContext } = makeDoctorProject({
    [minimalPath]: withArtifact({ path: 'spec.md', type: 'poem' }),
  });
  expect(of('warning', checkArtifacts.run(doctorContext()))).toMatchObject([
    { evidence: [expect.stringContaining('spec')] },
  ]);
});

test('reports a condition that cannot be parsed', () => {
  const { doctorContext } = makeDoctorProject({
    [minimalPath]: withArtifact({ path: 'spec.md', condition: 'state.constructor' }),
  });
  expect(of('warning', checkArtifacts.run(doctorContext()))).toMatchObject([
    { evidence: [expect.stringContaining('the condition of spec cannot be read')] },
  ]);
});
