import { expect, test } from 'vitest';
import {
  entryIntoStep,
  startOfRun,
  transitionBetween,
  type TriggerMatcher,
} from '../../../../src/guidance/artifacts/declared.ts';
import type { RunState } from '../../../../src/state/types.ts';
import { aPhase, aState } from '../../../support/runs.ts';

const phase = (current: number, name: string): RunState =>
  aState({ phase: aPhase({ current, name }) });

const steps: { id: string; phase?: string; title?: string }[] = [
  { id: 'sketch', phase: 'Design' },
  { id: 'draw', phase: 'Design' },
  { id: 'build_it', title: 'Build it' },
];

const step = (index: number): RunState => {
  const at = steps[index];
  const shown = phase(index + 1, at?.phase ?? at?.title ?? '');
  return { ...shown, template: { steps }, machine: { step: at?.id } };
};

const BUILD_TO_TESTS = transitionBetween(
  phase(2, 'Build'),
  phase(3, 'User Tests'),
);
const DRAW_TO_BUILD = transitionBetween(step(1), step(2));
const entered = {
  ...step(2),
  machine: { ...step(2).machine, cameFrom: 'draw' },
};

/** All of these are triggers; on each occasion the named ones fire, and no other. */
const TRIGGERS = [
  'session_start, compaction, manual, whatever, phase_transition, phase_start:user-tests',
  'phase_start:User Tests, phase_start:build, phase_start:build_it, phase_start:build-it',
  'phase_start:Build it, phase_start:sketch, phase_start:draw, phase_start:design',
  'phase_transition:build->user-tests, phase_transition:Build -> User Tests',
  'phase_transition:user-tests->build, phase_transition:build->ship',
  'phase_transition:draw->build_it, phase_transition:design->build-it',
  'phase_transition:Design->build_it, phase_transition:sketch->build_it',
].flatMap((line) => line.split(', '));

test.each<[string, TriggerMatcher | null, string]>([
  [
    'the move from Build to User Tests',
    BUILD_TO_TESTS,
    'phase_transition, phase_start:user-tests, phase_start:User Tests, phase_transition:build->user-tests, phase_transition:Build -> User Tests',
  ],
  [
    'the move from draw to build_it',
    DRAW_TO_BUILD,
    'phase_transition, phase_start:build_it, phase_start:build-it, phase_start:Build it, phase_transition:draw->build_it, phase_transition:design->build-it, phase_transition:Design->build_it',
  ],
  [
    'a move within a phase of several steps',
    transitionBetween(step(0), step(1)),
    'phase_transition, phase_start:draw',
  ],
  [
    'the start of a run, with which its first phase starts',
    startOfRun(step(0)),
    'session_start, phase_start:sketch, phase_start:design',
  ],
  [
    'a step that was entered from another',
    entryIntoStep(entered),
    'phase_transition, phase_start:build_it, phase_start:build-it, phase_start:Build it, phase_transition:draw->build_it, phase_transition:design->build-it, phase_transition:Design->build_it',
  ],
  [
    'a new name of the phase',
    transitionBetween(phase(2, 'Build'), phase(2, 'Other')),
    '',
  ],
  [
    'the end of the run',
    transitionBetween(step(1), { ...step(1), status: 'completed' }),
    '',
  ],
])('%s', (_occasion, matches, fired) => {
  expect(
    TRIGGERS.filter((trigger) => matches?.([trigger]) === trigger).join(', '),
  ).toBe(fired);
});
