import { describe, expect, test } from 'vitest';
import {
  entryIntoStep,
  startOfRun,
  transitionBetween,
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

const fired = (before: RunState, after: RunState, trigger: string): boolean =>
  transitionBetween(before, after)?.([trigger]) === trigger;

describe('in a run with named phases', () => {
  test.each([
    ['phase_transition', true],
    ['phase_start:user-tests', true],
    ['phase_start:User Tests', true],
    ['phase_start:build', false],
    ['phase_transition:build->user-tests', true],
    ['phase_transition:Build -> User Tests', true],
    ['phase_transition:user-tests->build', false],
    ['phase_transition:design->user-tests', false],
    ['phase_transition:build->ship', false],
    ['session_start', false],
    ['compaction', false],
    ['manual', false],
    ['whatever', false],
  ])('the move from Build to User Tests fires %s: %s', (trigger, isFired) => {
    expect(fired(phase(2, 'Build'), phase(3, 'User Tests'), trigger)).toBe(isFired);
  });

  test('names in any script', () => {
    expect(fired(phase(1, 'Entwurf'), phase(2, 'Prüfung'), 'phase_start:prufung')).toBe(true);
    expect(fired(phase(1, 'План'), phase(2, 'Сборка'), 'phase_transition:план->сборка')).toBe(true);
  });

  test('a phase without a name matches no trigger', () => {
    expect(fired(phase(1, ''), phase(2, ''), 'phase_transition')).toBe(true);
    expect(fired(phase(1, 'A'), phase(2, ''), 'phase_start:workflow')).toBe(false);
  });
});

describe('in a run of a template', () => {
  test.each([
    ['phase_start:build_it', true],
    ['phase_start:build-it', true],
    ['phase_start:Build it', true],
    ['phase_transition:draw->build_it', true],
    ['phase_transition:design->build-it', true],
    ['phase_transition:Design->build_it', true],
    ['phase_transition:sketch->build_it', false],
    ['phase_start:draw', false],
  ])('the move from draw to build_it fires %s: %s', (trigger, isFired) => {
    expect(fired(step(1), step(2), trigger)).toBe(isFired);
  });

  test('a phase of several steps starts with the first of them', () => {
    expect(fired(step(0), step(1), 'phase_start:design')).toBe(false);
    expect(fired(step(0), step(1), 'phase_start:draw')).toBe(true);
    expect(fired(step(0), step(1), 'phase_transition')).toBe(true);
    expect(fired(step(2), step(0), 'phase_start:design')).toBe(true);
  });

  test('ids may end in a dash', () => {
    const at = (id: string, current: number): RunState => ({
      ...phase(current, ''),
      machine: { step: id },
    });
    expect(fired(at('a-', 1), at('b', 2), 'phase_transition:a-->b')).toBe(true);
  });
});

test('nothing fires if the run stays in its phase and step', () => {
  expect(transitionBetween(phase(2, 'Build'), phase(2, 'Build'))).toBeNull();
  expect(transitionBetween(phase(2, 'Build'), phase(2, 'Another name'))).toBeNull();
  expect(transitionBetween(step(1), { ...step(1), status: 'completed' })).toBeNull();
});

test('returns the first trigger that fires', () => {
  const occasion = transitionBetween(step(1), step(2));
  expect(occasion?.(['manual', 'phase_start:build_it', 'phase_transition'])).toBe(
    'phase_start:build_it',
  );
  expect(occasion?.([])).toBeUndefined();
});

test.each([
  ['session_start', true],
  ['phase_start:sketch', true],
  ['phase_start:design', true],
  ['phase_start:build_it', false],
  ['phase_transition', false],
  ['phase_transition:design->build-it', false],
  ['compaction', false],
])('the start of a run, with which its first phase starts, fires %s: %s', (trigger, isFired) => {
  expect(startOfRun(step(0))([trigger]) === trigger).toBe(isFired);
});

test.each([
  ['phase_start:build_it', true],
  ['phase_transition', true],
  ['phase_transition:draw->build_it', true],
  ['session_start', false],
])('a step that was entered from another fires %s: %s', (trigger, isFired) => {
  const at = step(2);
  const entered = { ...at, machine: { ...at.machine, cameFrom: 'draw' } };
  expect(entryIntoStep(entered)([trigger]) === trigger).toBe(isFired);
});
