import { describe, expect, test } from 'vitest';
import { startTemplateRun } from '../../../../src/workflow/template-run.ts';
import { NOW, aPhase, aState, heldBy, LOCAL_FILE } from '../../../support/runs.ts';
import { action, aTemplate } from '../../../support/templates.ts';
import { checkRuns } from '../../../../src/doctor/checks/runs.ts';
import { syncRuns } from '../../../../src/sync/apply-sync.ts';
import { readSyncInput } from '../../../../src/sync/read-sources.ts';
import { DEFAULTS } from '../../../../src/settings/settings.ts';
import { minimalPath, minimalState } from '../../../support/state.ts';
import { age, levels, makeDoctorProject, of, type DoctorProject } from '../support.ts';

const DAY = 24 * 3_600;

function withRun(
  fields: Parameters<typeof aState>[0],
  tree: Record<string, string> = {},
): DoctorProject {
  return makeDoctorProject({ ...tree, [minimalPath]: aState(fields) });
}

test('passes without runs', () => {
  expect(levels(checkRuns.run(makeDoctorProject().doctorContext()))).toEqual(['ok']);
});

describe('an abandoned run', () => {
  test('is reported after 14 days, with the commands that complete or continue it', () => {
    const { doctorContext, at } = withRun(heldBy('abcdef0123'));
    age(at(minimalPath), 15 * DAY);
    const findings = checkRuns.run(doctorContext());
    expect(of('note', findings)).toMatchObject([
      {
        evidence: ['last touched 15 days ago, held by session abcdef01'],
        fix: expect.stringMatching(/holdfast complete \S+`.*holdfast resume \S+`/),
      },
    ]);
  });

  test('is not reported earlier, nor while its session is live', () => {
    const recent = withRun(heldBy('s1'));
    age(recent.at(minimalPath), 13 * DAY);
    expect(levels(checkRuns.run(recent.doctorContext()))).toEqual(['ok']);
    const live = withRun(heldBy('s1', { last_seen_at: new Date().toISOString() }));
    age(live.at(minimalPath), 15 * DAY);
    expect(levels(checkRuns.run(live.doctorContext()))).toEqual(['ok']);
  });
});

test('warns about missing required reading', () => {
  const { doctorContext } = withRun(
    { required_reading: ['@docs/spec.md', '@docs/gone.md', '@../other.md'] },
    { 'docs/spec.md': 'spec' },
  );
  expect(of('warning', checkRuns.run(doctorContext()))).toMatchObject([
    {
      evidence: ['@docs/gone.md (missing)', '@../other.md (outside)'],
      fix: expect.stringContaining('--unread docs/gone.md'),
    },
  ]);
});

test('quotes text from files for the shell in the suggested fix', () => {
  const { doctorContext } = withRun({ required_reading: ['@a; touch $HOME/x #'] });
  expect(of('warning', checkRuns.run(doctorContext()))[0]?.fix).toContain(
    "--unread 'a; touch $HOME/x #'`",
  );
});

test('does not check the reading of a paused or completed run', () => {
  const { doctorContext } = withRun({ required_reading: ['@gone.md'], status: 'paused' });
  expect(levels(checkRuns.run(doctorContext()))).toEqual(['ok']);
});

describe('a marker that names a different phase than the state', () => {
  const marker = (phase: number): string =>
    `# Workflow State\nWorkflow: Feature\nPhase: ${phase}/5\n`;

  /** A run that was detected at phase 2. */
  function detected(): DoctorProject {
    const doctorProject = makeDoctorProject({ [LOCAL_FILE]: marker(2) });
    const doctorContext = doctorProject.doctorContext();
    const { input } = readSyncInput(
      { ...doctorContext, settings: DEFAULTS, session: null },
      { runs: [], sourceRecords: {} },
    );
    syncRuns(doctorContext.store, input, { by: 'hook PreCompact', unreadable: [] });
    return doctorProject;
  }

  test('and was not changed since: the state wins', () => {
    const doctorProject = detected();
    doctorProject.doctorContext().store.transaction((tx) => {
      const [run] = tx.runs;
      if (run !== undefined)
        tx.write(run, { ...run.state, phase: aPhase({ current: 4, name: 'Ship' }), adopted: true });
    });
    expect(of('warning', checkRuns.run(doctorProject.doctorContext()))).toMatchObject([
      {
        evidence: [
          `${LOCAL_FILE}: phase 2`,
          expect.stringContaining('phase 4/5 Ship'),
          'the state applies',
        ],
        fix: `write phase 4 into ${LOCAL_FILE}`,
      },
    ]);
  });

  test('because it was just changed: the marker wins', () => {
    const doctorProject = detected();
    doctorProject.write(LOCAL_FILE, marker(3));
    expect(of('warning', checkRuns.run(doctorProject.doctorContext()))).toMatchObject([
      {
        evidence: expect.arrayContaining([
          `${LOCAL_FILE} is newer and applies from the next compaction on`,
        ]),
        fix: expect.stringMatching(/^holdfast update \S+ --phase 3$/),
      },
    ]);
  });

  test('is not reported if both name the same phase', () => {
    expect(of('warning', checkRuns.run(detected().doctorContext()))).toEqual([]);
  });
});

test('reports an unreadable source', () => {
  const { doctorContext } = makeDoctorProject({ [LOCAL_FILE]: '# Workflow State\0' });
  expect(of('warning', checkRuns.run(doctorContext()))).toMatchObject([
    { message: `${LOCAL_FILE} was not read: binary` },
  ]);
});

describe('a template run that was sent back', () => {
  const sentBack = (pivots: number) => {
    const run = startTemplateRun(aTemplate([action('plan')], { max_pivots: 2 }), undefined, NOW);
    const machine = { ...run.machine, pivots };
    const { doctorContext } = makeDoctorProject({ [minimalPath]: { ...run, machine } });
    return of('warning', checkRuns.run(doctorContext()));
  };

  test('as often as allowed is a question for the user', () => {
    expect(sentBack(2)).toMatchObject([
      {
        message: expect.stringContaining('has reached the pivot limit of its template'),
        evidence: ['2 pivots, now at phase 1/1 plan (in_progress)'],
        fix: expect.stringContaining('holdfast advance'),
      },
    ]);
  });

  test('less often is not reported', () => {
    expect(sentBack(1)).toEqual([]);
  });
});

test('reports a missing todo list that a run wrote to', () => {
  const todo = { path: 'TODO.md', owned: true };
  const { doctorContext } = makeDoctorProject({
    [minimalPath]: { ...minimalState, required_reading: [], todo },
  });
  expect(of('note', checkRuns.run(doctorContext()))).toContainEqual(
    expect.objectContaining({ evidence: ['TODO.md: it is gone'] }),
  );
});
