import { describe, expect, test } from 'vitest';
import type { Artifact } from '../../../src/artifacts/types.ts';
import { previewPrime, primeRun, type PrimedRun } from '../../../src/operations/prime.ts';
import type { RunState, StoredRun } from '../../../src/state/types.ts';
import { makeProject, type Project } from '../../support/project.ts';
import { heldBy, minutesBefore } from '../../support/runs.ts';
import { createRun } from '../../support/store.ts';
import { anArtifact } from '../artifacts/support.ts';
import { contextIn, stored, type TestContext } from './support.ts';
import { saying } from '../../support/failures.ts';

const all = { force: false };

function aRunWith(
  context: TestContext,
  artifacts: Artifact[],
  fields: Partial<RunState> = {},
): StoredRun {
  const critical_artifacts = { always_load: artifacts };
  return createRun(context.store, { ...heldBy('s1'), critical_artifacts, ...fields });
}

const withFiles = (): Project => makeProject({ 'docs/spec.md': 'SPEC', 'docs/plan.md': 'PLAN' });
const both = [anArtifact({ required: true }), anArtifact({ id: 'plan', path: 'docs/plan.md' })];

const idsOf = (list: PrimedRun['given']): string[] => list.map(({ artifact }) => artifact.id);
const inContext = (context: TestContext, { runId }: StoredRun): unknown =>
  stored(context, runId).state.context_metadata?.artifacts_in_context;

describe('what was printed', () => {
  test('counts as being in the context of the session, with its digest, and stands in the journal', () => {
    const context = contextIn(withFiles());
    const { run, text } = primeRun(context, aRunWith(context, both), all);
    expect(text).toMatch(/SPEC[^]*PLAN/);
    expect(inContext(context, run)).toEqual(
      ['spec', 'plan'].map((artifact_id) => ({
        artifact_id,
        loaded_at: context.now.toISOString(),
        load_trigger: 'manual',
        digest: expect.stringMatching(/./),
      })),
    );
    expect(context.store.journal(run).at(-1)).toMatchObject({
      event: 'primed',
      artifacts: ['spec', 'plan'],
    });
  });

  test('is beside what was in the context before, and replaces its older self', () => {
    const context = contextIn(withFiles());
    const artifacts_in_context = ['@docs/rules.md', 'spec'].map((artifact_id) => ({
      artifact_id,
      loaded_at: minutesBefore(10),
      digest: 'old',
    }));
    const run = aRunWith(context, both, { context_metadata: { artifacts_in_context } });
    primeRun(context, run, { force: false, only: ['spec'] });
    expect(inContext(context, run)).toEqual([
      artifacts_in_context[0],
      expect.objectContaining({ artifact_id: 'spec', loaded_at: context.now.toISOString() }),
    ]);
  });

  test('is kept beside what somebody wrote meanwhile', () => {
    const context = contextIn(withFiles());
    const listed = aRunWith(context, both);
    context.store.transaction((tx) => {
      const [run = listed] = tx.runs;
      tx.write(run, { ...run.state, key_reminders: ['be brief'] }, { event: 'updated' });
    });
    const { run } = primeRun(context, listed, all);
    expect(stored(context, run.runId).state.key_reminders).toEqual(['be brief']);
    expect(inContext(context, run)).toHaveLength(2);
  });

  test.each([
    ['another session', 's2'],
    ['a person', null],
  ])('by %s counts for nobody', (_who, session) => {
    const project = withFiles();
    const run = aRunWith(contextIn(project), both);
    const context = contextIn(project, session);
    expect(idsOf(primeRun(context, run, all).given)).toEqual(['spec', 'plan']);
    expect(stored(context, run.runId).state).toEqual(run.state);
  });

  test('of a run that nobody holds counts for a person', () => {
    const context = contextIn(withFiles(), null);
    const { run } = primeRun(context, aRunWith(context, both, { sessions: {} }), all);
    expect(inContext(context, run)).toHaveLength(2);
  });
});

describe('what is not printed', () => {
  test('is not in the context, and is told apart by why', () => {
    const project = makeProject({ 'docs/plan.md': 'x'.repeat(900) });
    const context = contextIn(project);
    const run = aRunWith(context, both);
    const { given, named, absent } = primeRun(context, run, { force: false, maxChars: 300 });
    expect({ given: idsOf(given), named: idsOf(named), absent: idsOf(absent) }).toEqual({
      given: [],
      named: ['spec', 'plan'],
      absent: ['spec'],
    });
    expect(stored(context, run.runId).state).toEqual(run.state);
  });

  test('for it is no longer than 25,000 characters where nothing else is said', () => {
    const project = makeProject({
      'docs/spec.md': 'x'.repeat(20_000),
      'docs/plan.md': 'x'.repeat(6_000),
    });
    const context = contextIn(project);
    const { text, given } = primeRun(context, aRunWith(context, both), all);
    expect(idsOf(given)).toEqual(['spec']);
    expect(text.length).toBeLessThanOrEqual(25_000);
  });
});

describe('a plan', () => {
  const verdicts = (context: TestContext, run: StoredRun, options: object = {}): string[] =>
    previewPrime(context, run, { force: false, ...options }).map(
      ({ decision: { artifact, verdict } }) => `${artifact.id} ${verdict}`,
    );
  const justLoaded = {
    context_metadata: {
      artifacts_in_context: [{ artifact_id: 'spec', loaded_at: minutesBefore(2) }],
    },
  };

  test('leaves out what this session was given a moment ago, unless by force', () => {
    const context = contextIn(withFiles());
    const run = aRunWith(context, both, justLoaded);
    expect(verdicts(context, run)).toEqual(['spec skip', 'plan load']);
    expect(verdicts(context, run, { force: true })).toEqual(['spec load', 'plan load']);
    expect(verdicts(context, run, { only: ['plan'] })).toEqual(['spec skip', 'plan load']);
  });

  test('does not leave out what only another session was given', () => {
    const project = withFiles();
    const run = aRunWith(contextIn(project), both, justLoaded);
    expect(verdicts(contextIn(project, 's2'), run)).toEqual(['spec load', 'plan load']);
  });

  test('of an id that is not declared is refused with those that are', () => {
    const context = contextIn(withFiles());
    const run = aRunWith(context, both);
    expect(() => verdicts(context, run, { only: ['plan', 'sepc'] })).toThrow(
      saying('this run has no artifact "sepc"; available: spec, plan'),
    );
  });

  test('warns of a declaration that cannot be used, and goes on with the others', () => {
    const context = contextIn(withFiles());
    const critical_artifacts = { always_load: [anArtifact()], odd: [] };
    expect(verdicts(context, aRunWith(context, [], { critical_artifacts }))).toEqual(['spec load']);
    expect(context.warnings).toEqual([expect.stringContaining('odd')]);
  });
});
