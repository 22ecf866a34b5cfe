import { describe, expect, test } from 'vitest';
import type { Artifact } from '../../../src/artifacts/types.ts';
import { planPrime, primeRun, type Primed } from '../../../src/operations/prime.ts';
import type { RunState, StoredRun } from '../../../src/state/types.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { heldBy, minutesBefore } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { anArtifact } from '../artifacts/support.ts';
import { deskIn, stored, type TestDesk } from './support.ts';
import { saying } from '../../support/failures.ts';

const all = { force: false };

function aRunWith(
  desk: TestDesk,
  artifacts: Artifact[],
  fields: Partial<RunState> = {},
): StoredRun {
  const critical_artifacts = { always_load: artifacts };
  return createRun(desk.store, { ...heldBy('s1'), critical_artifacts, ...fields });
}

const withFiles = (): Project => makeProject({ 'docs/spec.md': 'SPEC', 'docs/plan.md': 'PLAN' });
const both = [anArtifact({ required: true }), anArtifact({ id: 'plan', path: 'docs/plan.md' })];

const idsOf = (list: Primed['given']): string[] => list.map(({ artifact }) => artifact.id);
const inContext = (desk: TestDesk, { runId }: StoredRun): unknown =>
  stored(desk, runId).state.context_metadata?.artifacts_in_context;

describe('what was printed', () => {
  test('counts as being in the context of the session, with its digest, and stands in the journal', () => {
    const desk = deskIn(withFiles());
    const { run, text } = primeRun(desk, aRunWith(desk, both), all);
    expect(text).toMatch(/SPEC[^]*PLAN/);
    expect(inContext(desk, run)).toEqual(
      ['spec', 'plan'].map((artifact_id) => ({
        artifact_id,
        loaded_at: desk.now.toISOString(),
        load_trigger: 'manual',
        digest: expect.stringMatching(/./),
      })),
    );
    expect(desk.store.journal(run).at(-1)).toMatchObject({
      event: 'primed',
      artifacts: ['spec', 'plan'],
    });
  });

  test('is beside what was in the context before, and replaces its older self', () => {
    const desk = deskIn(withFiles());
    const artifacts_in_context = ['@docs/rules.md', 'spec'].map((artifact_id) => ({
      artifact_id,
      loaded_at: minutesBefore(10),
      digest: 'old',
    }));
    const run = aRunWith(desk, both, { context_metadata: { artifacts_in_context } });
    primeRun(desk, run, { force: false, only: ['spec'] });
    expect(inContext(desk, run)).toEqual([
      artifacts_in_context[0],
      expect.objectContaining({ artifact_id: 'spec', loaded_at: desk.now.toISOString() }),
    ]);
  });

  test('is kept beside what somebody wrote meanwhile', () => {
    const desk = deskIn(withFiles());
    const listed = aRunWith(desk, both);
    desk.store.transaction((tx) => {
      const [run = listed] = tx.runs;
      tx.write(run, { ...run.state, key_reminders: ['be brief'] }, { event: 'updated' });
    });
    const { run } = primeRun(desk, listed, all);
    expect(stored(desk, run.runId).state.key_reminders).toEqual(['be brief']);
    expect(inContext(desk, run)).toHaveLength(2);
  });

  test.each([
    ['another session', 's2'],
    ['a person', null],
  ])('by %s counts for nobody', (_who, session) => {
    const project = withFiles();
    const run = aRunWith(deskIn(project), both);
    const desk = deskIn(project, session);
    expect(idsOf(primeRun(desk, run, all).given)).toEqual(['spec', 'plan']);
    expect(stored(desk, run.runId).state).toEqual(run.state);
  });

  test('of a run that nobody holds counts for a person', () => {
    const desk = deskIn(withFiles(), null);
    const { run } = primeRun(desk, aRunWith(desk, both, { sessions: {} }), all);
    expect(inContext(desk, run)).toHaveLength(2);
  });
});

describe('what is not printed', () => {
  test('is not in the context, and is told apart by why', () => {
    const project = makeProject({ 'docs/plan.md': 'x'.repeat(900) });
    const desk = deskIn(project);
    const run = aRunWith(desk, both);
    const { given, named, absent } = primeRun(desk, run, { force: false, maxChars: 300 });
    expect({ given: idsOf(given), named: idsOf(named), absent: idsOf(absent) }).toEqual({
      given: [],
      named: ['spec', 'plan'],
      absent: ['spec'],
    });
    expect(stored(desk, run.runId).state).toEqual(run.state);
  });

  test('for it is no longer than 25,000 characters where nothing else is said', () => {
    const project = makeProject({
      'docs/spec.md': 'x'.repeat(20_000),
      'docs/plan.md': 'x'.repeat(6_000),
    });
    const desk = deskIn(project);
    const { text, given } = primeRun(desk, aRunWith(desk, both), all);
    expect(idsOf(given)).toEqual(['spec']);
    expect(text.length).toBeLessThanOrEqual(25_000);
  });
});

describe('a plan', () => {
  const verdicts = (desk: TestDesk, run: StoredRun, options: object = {}): string[] =>
    planPrime(desk, run, { force: false, ...options }).map(
      ({ artifact, verdict }) => `${artifact.id} ${verdict}`,
    );
  const justLoaded = {
    context_metadata: {
      artifacts_in_context: [{ artifact_id: 'spec', loaded_at: minutesBefore(2) }],
    },
  };

  test('leaves out what this session was given a moment ago, unless by force', () => {
    const desk = deskIn(withFiles());
    const run = aRunWith(desk, both, justLoaded);
    expect(verdicts(desk, run)).toEqual(['spec skip', 'plan load']);
    expect(verdicts(desk, run, { force: true })).toEqual(['spec load', 'plan load']);
    expect(verdicts(desk, run, { only: ['plan'] })).toEqual(['spec skip', 'plan load']);
  });

  test('does not leave out what only another session was given', () => {
    const project = withFiles();
    const run = aRunWith(deskIn(project), both, justLoaded);
    expect(verdicts(deskIn(project, 's2'), run)).toEqual(['spec load', 'plan load']);
  });

  test('of an id that is not declared is refused with those that are', () => {
    const desk = deskIn(withFiles());
    const run = aRunWith(desk, both);
    expect(() => verdicts(desk, run, { only: ['plan', 'sepc'] })).toThrow(
      saying('this run has no artifact "sepc"; available: spec, plan'),
    );
  });

  test('warns of a declaration that cannot be used, and goes on with the others', () => {
    const desk = deskIn(withFiles());
    const critical_artifacts = { always_load: [anArtifact()], odd: [] };
    expect(verdicts(desk, aRunWith(desk, [], { critical_artifacts }))).toEqual(['spec load']);
    expect(desk.warnings).toEqual([expect.stringContaining('odd')]);
  });
});
