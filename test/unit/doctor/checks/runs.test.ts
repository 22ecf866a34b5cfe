import { describe, expect, test } from 'vitest';
import { startTemplateRun } from '../../../../src/workflow/template-run.ts';
import { NOW } from '../../../support/runs.ts';
import { action, aTemplate } from '../../../support/templates.ts';
import { checkRuns } from '../../../../src/doctor/checks/runs.ts';
import { syncRuns } from '../../../../src/sync/apply-sync.ts';
import { readSyncInput } from '../../../../src/sync/sync-input.ts';
import { DEFAULTS } from '../../../../src/settings/settings.ts';
import { aPhase, aState, heldBy, LOCAL_FILE } from '../../../support/runs.ts';
import { minimalPath, minimalState } from '../../../support/state.ts';
import { age, levels, makePatient, of, type Patient } from '../support.ts';

const DAY = 24 * 3_600;

function withRun(fields: Parameters<typeof aState>[0], tree: Record<string, string> = {}): Patient {
  return makePatient({ ...tree, [minimalPath]: aState(fields) });
}

test('without a run nothing is amiss', () => {
  expect(levels(checkRuns.run(makePatient().examined()))).toEqual(['ok']);
});

describe('a run that nobody works on any more', () => {
  test('is noted after 14 days, with the commands that end it or go on with it', () => {
    const { examined, at } = withRun(heldBy('abcdef0123'));
    age(at(minimalPath), 15 * DAY);
    const findings = checkRuns.run(examined());
    expect(of('note', findings)).toMatchObject([
      {
        evidence: ['last touched 15 days ago, held by session abcdef01'],
        fix: expect.stringMatching(/holdfast complete \S+`.*holdfast claim \S+`/),
      },
    ]);
  });

  test('is left alone before, and where its session lives', () => {
    const recent = withRun(heldBy('s1'));
    age(recent.at(minimalPath), 13 * DAY);
    expect(levels(checkRuns.run(recent.examined()))).toEqual(['ok']);
    const live = withRun(heldBy('s1', { last_seen_at: new Date().toISOString() }));
    age(live.at(minimalPath), 15 * DAY);
    expect(levels(checkRuns.run(live.examined()))).toEqual(['ok']);
  });
});

test('required reading that is not there is a warning', () => {
  const { examined } = withRun(
    { required_reading: ['@docs/spec.md', '@docs/gone.md', '@../other.md'] },
    { 'docs/spec.md': 'spec' },
  );
  expect(of('warning', checkRuns.run(examined()))).toMatchObject([
    {
      evidence: ['@docs/gone.md (missing)', '@../other.md (outside)'],
      fix: expect.stringContaining('--unread docs/gone.md'),
    },
  ]);
});

test('what a fix takes from a file is one word to the shell that it is pasted into', () => {
  const { examined } = withRun({ required_reading: ['@a; touch $HOME/x #'] });
  expect(of('warning', checkRuns.run(examined()))[0]?.fix).toContain(
    "--unread 'a; touch $HOME/x #'`",
  );
});

test('a run that is paused or done is not held to its reading', () => {
  const { examined } = withRun({ required_reading: ['@gone.md'], status: 'paused' });
  expect(levels(checkRuns.run(examined()))).toEqual(['ok']);
});

describe('a marker that names another phase than the state', () => {
  const marker = (phase: number): string =>
    `# Workflow State\nWorkflow: Feature\nPhase: ${phase}/5\n`;

  /** A run that was detected at phase 2. */
  function detected(): Patient {
    const patient = makePatient({ [LOCAL_FILE]: marker(2) });
    const examined = patient.examined();
    const { input } = readSyncInput(
      { ...examined, settings: DEFAULTS, session: null },
      { runs: [], sourceRecords: {} },
    );
    syncRuns(examined.store, input, { by: 'hook PreCompact', unreadable: [] });
    return patient;
  }

  test('and was not touched since: the state counts', () => {
    const patient = detected();
    patient.examined().store.transaction((tx) => {
      const [run] = tx.runs;
      if (run !== undefined)
        tx.write(run, { ...run.state, phase: aPhase({ current: 4, name: 'Ship' }), adopted: true });
    });
    expect(of('warning', checkRuns.run(patient.examined()))).toMatchObject([
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

  test('because somebody has just changed it: the marker counts', () => {
    const patient = detected();
    patient.write(LOCAL_FILE, marker(3));
    expect(of('warning', checkRuns.run(patient.examined()))).toMatchObject([
      {
        evidence: expect.arrayContaining([
          `${LOCAL_FILE} is newer and applies from the next compaction on`,
        ]),
        fix: expect.stringMatching(/^holdfast update \S+ --phase 3$/),
      },
    ]);
  });

  test('not so where both name the same', () => {
    expect(of('warning', checkRuns.run(detected().examined()))).toEqual([]);
  });
});

test('a source that cannot be read is told', () => {
  const { examined } = makePatient({ [LOCAL_FILE]: '# Workflow State\0' });
  expect(of('warning', checkRuns.run(examined()))).toMatchObject([
    { message: `${LOCAL_FILE} was not read: binary` },
  ]);
});

describe('a run of a template that was sent back', () => {
  const sentBack = (pivots: number) => {
    const run = startTemplateRun(aTemplate([action('plan')], { max_pivots: 2 }), undefined, NOW);
    const machine = { ...run.machine, pivots };
    const { examined } = makePatient({ [minimalPath]: { ...run, machine } });
    return of('warning', checkRuns.run(examined()));
  };

  test('as often as it may be is a question for the user', () => {
    expect(sentBack(2)).toMatchObject([
      {
        message: expect.stringContaining('has reached the pivot limit of its template'),
        evidence: ['2 pivots, now at phase 1/1 plan (in_progress)'],
        fix: expect.stringContaining('holdfast advance'),
      },
    ]);
  });

  test('less often is none', () => {
    expect(sentBack(1)).toEqual([]);
  });
});

test('a todo list that a run wrote to and that is gone is noted', () => {
  const todo = { path: 'TODO.md', owned: true };
  const { examined } = makePatient({
    [minimalPath]: { ...minimalState, required_reading: [], todo },
  });
  expect(of('note', checkRuns.run(examined()))).toContainEqual(
    expect.objectContaining({ evidence: ['TODO.md: it is gone'] }),
  );
});
