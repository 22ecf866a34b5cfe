import { expect, test } from 'vitest';
import {
  afterCompaction,
  atSessionStart,
  decide,
  manual,
  transitionBetween,
  type TriggerMatcher,
} from '../../../../src/guidance/artifacts/declared.ts';
import type { Artifact } from '../../../../src/guidance/artifacts/load-plain.ts';
import { aPhase, aState } from '../../../support/runs.ts';
import { anArtifact } from './support.ts';

const state = aState({ phase: aPhase({ current: 2 }) });

/** The verdict on each artifact, in words. */
function decisionLines(artifacts: Artifact[], occasion: TriggerMatcher, only?: string[]): string[] {
  return decide(artifacts, occasion, state, only).map(
    (decision) =>
      `${decision.artifact.id} ${decision.verdict}: ${decision.verdict === 'load' ? decision.trigger : decision.skip.why}`,
  );
}

test.each<[string, TriggerMatcher | null, string[]]>([
  ['at the start of a session', atSessionStart, ['session_start']],
  ['after a compaction, which also starts one', afterCompaction, ['session_start', 'compaction']],
  [
    'at a move',
    transitionBetween(state, aState({ phase: aPhase({ current: 3 }) })),
    ['phase_transition'],
  ],
  ['on demand', manual, ['session_start', 'compaction', 'phase_transition', 'manual', 'none']],
])(
  '%s, what that triggers is loaded, and the others say when they are',
  (_when, occasion, loaded) => {
    const triggers = ['session_start', 'compaction', 'phase_transition', 'manual', ''];
    const artifacts = triggers.map((trigger) =>
      anArtifact({ id: trigger || 'none', reload_triggers: trigger === '' ? [] : [trigger] }),
    );
    const when = (id: string): string => (id === 'none' ? 'by hand only' : `only at ${id}`);
    expect(decisionLines(artifacts, occasion ?? manual)).toEqual(
      artifacts.map(({ id }) =>
        loaded.includes(id)
          ? `${id} load: ${occasion === manual ? 'manual' : id}`
          : `${id} skip: loaded ${when(id)}`,
      ),
    );
  },
);

test.each([
  ['state.phase.current > 1', 'load: manual'],
  ['state.phase.current > 2', 'skip: the condition state.phase.current > 2 does not hold'],
  [
    'state.phase.current >',
    'skip: the condition state.phase.current > cannot be read: it ends too early',
  ],
])('the condition %s, even on demand: %s', (condition, words) => {
  const artifacts = [anArtifact({ condition }), anArtifact({ id: 'plan' })];
  expect(decisionLines(artifacts, manual)).toEqual([`spec ${words}`, 'plan load: manual']);
});

test('with ids given, only those are considered, in declaration order', () => {
  const artifacts = ['a', 'b', 'c'].map((id) => anArtifact({ id }));
  expect(decisionLines(artifacts, manual, ['c', 'a'])).toEqual([
    'a load: manual',
    'b skip: not asked for',
    'c load: manual',
  ]);
});
