import { describe, expect, test } from 'vitest';
import { checkEvidence } from '../../../../src/doctor/checks/evidence.ts';
import { commandFor } from '../../../../src/install/plan/hook-command.ts';
import { aState } from '../../../support/runs.ts';
import { levels, LOCAL, makeDoctorProject, of, settingsWith } from '../support.ts';

const settings = settingsWith(commandFor('/home/dev/.claude/holdfast/bin/hook.sh'));

const minutesAgo = (minutes: number): string =>
  new Date(Date.now() - minutes * 60_000).toISOString();

test('is skipped without registered hooks', () => {
  const findings = checkEvidence.run(makeDoctorProject().doctorContext());
  expect(levels(findings)).toEqual(['skipped', 'ok']);
});

test('hooks without a trace are fine: a hook with nothing to do leaves none', () => {
  const findings = checkEvidence.run(makeDoctorProject({ [LOCAL]: settings }).doctorContext());
  expect(of('note', findings)).toMatchObject([{ fix: expect.stringContaining('/compact') }]);
  expect(of('warning', findings)).toEqual([]);
});

test('reports when each hook last ran, from journals and the hook state', () => {
  const doctorProject = makeDoctorProject({ [LOCAL]: settings });
  const { store, now } = doctorProject.doctorContext();
  const run = store.transaction((tx) =>
    tx.create(aState(), { event: 'detected', by: 'hook PreCompact' }),
  );
  store.transaction((tx) => {
    tx.write(run, run.state, { event: 'session_ended', reason: 'clear' });
    tx.saveHookState({
      ...tx.hookState,
      compactions: { s: { stage: 'due', at: now.getTime() - 120_000 } },
    });
  });
  const [fired] = of('ok', checkEvidence.run(doctorProject.doctorContext()));
  expect(fired?.evidence?.toSorted()).toEqual([
    'PostCompact: 2 minutes ago',
    'PreCompact: just now',
    'SessionEnd: just now',
  ]);
});

describe('failures logged by hooks are shown', () => {
  const LOG = 'untracked/workflow-state/holdfast.log';

  test('the last three, as a warning if they are new', () => {
    const line = (minutes: number, words: string): string =>
      `${minutesAgo(minutes)} PreCompact ${words}`;
    const lines = [line(9, 'one'), line(8, 'two'), line(7, 'three'), line(6, 'four')];
    const { doctorContext } = makeDoctorProject({ [LOG]: `${lines.join('\n')}\n` });
    expect(of('warning', checkEvidence.run(doctorContext()))).toMatchObject([
      { evidence: lines.slice(1), fix: expect.stringContaining(LOG) },
    ]);
  });

  test('as a note if they are old', () => {
    const { doctorContext } = makeDoctorProject({
      [LOG]: '2024-01-01T00:00:00.000Z hook Error: old\n',
    });
    expect(of('note', checkEvidence.run(doctorContext()))).toMatchObject([
      { evidence: ['2024-01-01T00:00:00.000Z hook Error: old'] },
    ]);
  });

  test('does not read a log that is not a file', () => {
    const doctorProject = makeDoctorProject();
    doctorProject.fifo(LOG);
    expect(of('skipped', checkEvidence.run(doctorProject.doctorContext()))).toContainEqual(
      expect.objectContaining({ message: `${LOG} is not a readable file` }),
    );
  });
});
