import { describe, expect, test } from 'vitest';
import {
  decide,
  type LoadOptions,
  transitionBetween,
  afterCompaction,
  atSessionStart,
  manual,
  type TriggerMatcher,
} from '../../../../src/guidance/artifacts/declared.ts';
import type { Artifact } from '../../../../src/guidance/artifacts/load-plain.ts';
import { aPhase, aState, minutesBefore, NOW } from '../../../support/runs.ts';
import { anArtifact } from './support.ts';

const state = aState({ phase: aPhase({ current: 2 }) });

/** The verdict on each artifact, in words. */
function decisionLines(
  artifacts: Artifact[],
  occasion: TriggerMatcher,
  circumstances: Partial<LoadOptions> = {},
): string[] {
  const all = { now: NOW, force: false, inContext: [], ...circumstances };
  return decide(artifacts, occasion, state, all).map(
    (decision) =>
      `${decision.artifact.id} ${decision.verdict}: ${decision.verdict === 'load' ? decision.trigger : decision.skip.why}`,
  );
}

const triggeredBy = (...triggers: string[]): Artifact =>
  anArtifact({ id: triggers[0] ?? 'none', reload_triggers: triggers });

const every = [
  triggeredBy('session_start'),
  triggeredBy('compaction'),
  triggeredBy('phase_transition'),
  triggeredBy('manual'),
  triggeredBy(),
];

describe('only artifacts triggered by the event are loaded', () => {
  const loaded = (occasion: TriggerMatcher): string[] =>
    decide(every, occasion, state, { now: NOW, force: true, inContext: [] })
      .filter(({ verdict }) => verdict === 'load')
      .map(({ artifact }) => artifact.id);

  test('at the start of a session', () => {
    expect(loaded(atSessionStart)).toEqual(['session_start']);
  });

  test('after a compaction, which also starts a session', () => {
    expect(loaded(afterCompaction)).toEqual(['session_start', 'compaction']);
  });

  test('at a transition', () => {
    const move = transitionBetween(state, aState({ phase: aPhase({ current: 3 }) }));
    expect(move).not.toBeNull();
    expect(loaded(move ?? manual)).toEqual(['phase_transition']);
  });

  test('on demand, all of them', () => {
    expect(loaded(manual)).toHaveLength(every.length);
  });
});

test('reports the trigger that fired, or the one that is needed', () => {
  expect(decisionLines(every, afterCompaction)).toEqual([
    'session_start load: session_start',
    'compaction load: compaction',
    'phase_transition skip: loaded only at phase_transition',
    'manual skip: loaded only at manual',
    'none skip: loaded by hand only',
  ]);
  expect(decisionLines([anArtifact({ reload_triggers: [] })], manual)).toEqual([
    'spec load: manual',
  ]);
});

describe('a condition', () => {
  const on = (condition: string): Artifact => anArtifact({ condition });

  test('that holds loads the artifact', () => {
    expect(decisionLines([on('state.phase.current > 1')], atSessionStart)).toEqual([
      'spec load: session_start',
    ]);
  });

  test('that does not hold skips it, even on demand and with force', () => {
    expect(
      decisionLines([on('state.phase.current > 2')], manual, { force: true, only: ['spec'] }),
    ).toEqual(['spec skip: the condition state.phase.current > 2 does not hold']);
  });

  test('that cannot be parsed is reported and does not hold', () => {
    expect(
      decisionLines([on('state.phase.current >'), anArtifact({ id: 'plan' })], manual),
    ).toEqual([
      'spec skip: the condition state.phase.current > cannot be read: it ends too early',
      'plan load: manual',
    ]);
  });
});

describe('an artifact that was loaded in this session', () => {
  const loadedAt = (loaded_at: string): Partial<LoadOptions> => ({
    inContext: [{ artifact_id: 'spec', loaded_at }],
  });
  const verdict = (circumstances: Partial<LoadOptions>): string =>
    decisionLines([anArtifact()], manual, circumstances).join();

  test('less than five minutes ago is not loaded again', () => {
    expect(verdict(loadedAt(minutesBefore(2)))).toBe('spec skip: loaded 2 minutes ago');
    expect(verdict(loadedAt(minutesBefore(4.99)))).toBe('spec skip: loaded 4 minutes ago');
  });

  test('longer ago is loaded again', () => {
    expect(verdict(loadedAt(minutesBefore(5)))).toBe('spec load: manual');
  });

  test('is loaded again with force', () => {
    expect(verdict({ ...loadedAt(minutesBefore(2)), force: true })).toBe('spec load: manual');
  });

  test('counts from its last load', () => {
    const inContext = [minutesBefore(20), minutesBefore(1)].map((loaded_at) => ({
      artifact_id: 'spec',
      loaded_at,
    }));
    expect(verdict({ inContext })).toBe('spec skip: loaded 1 minute ago');
  });

  test('with a time slightly in the future counts as loaded', () => {
    expect(verdict(loadedAt(minutesBefore(-2)))).toContain('skip');
    expect(verdict(loadedAt(minutesBefore(-90)))).toContain('load');
  });

  test('with an invalid time or another id is loaded again', () => {
    expect(verdict(loadedAt('just now'))).toBe('spec load: manual');
    const inContext = [{ artifact_id: '@docs/spec.md', loaded_at: minutesBefore(1) }];
    expect(verdict({ inContext })).toBe('spec load: manual');
  });

  test('is still reported as due', () => {
    const [decision] = decide([anArtifact()], atSessionStart, state, {
      now: NOW,
      force: false,
      ...loadedAt(minutesBefore(2)),
      inContext: [{ artifact_id: 'spec', loaded_at: minutesBefore(2) }],
    });
    expect(decision).toMatchObject({ skip: { kind: 'in context', why: 'loaded 2 minutes ago' } });
  });
});

test('with ids given, only those are considered, in declaration order', () => {
  const artifacts = ['a', 'b', 'c'].map((id) => anArtifact({ id }));
  expect(decisionLines(artifacts, manual, { only: ['c', 'a'] })).toEqual([
    'a load: manual',
    'b skip: not asked for',
    'c load: manual',
  ]);
  expect(
    decisionLines(artifacts, manual, { only: [] }).every((line) => line.includes('not asked')),
  ).toBe(true);
});
