import { describe, expect, test } from 'vitest';
import { isStale, sourceStateOf } from '../../../src/sources/source-state.ts';
import type { RunState } from '../../../src/state/types.ts';
import { aRun, aSaid, aState, LOCAL_FILE, localFile, NOW, plan } from '../../support/runs.ts';

const PLAN = 'CLAUDE/Plan/00007-auth/PLAN.md';
const fromPlan: Partial<RunState> = { source: { kind: 'plan', path: PLAN } };
const fromLocal: Partial<RunState> = { source: { kind: 'local-file', path: LOCAL_FILE } };
const DAY = 24 * 3_600_000;

test('what the source of a run says about it', () => {
  const planned = aState(fromPlan);
  expect(sourceStateOf(planned, [plan(PLAN, aSaid({ workflow: 'Renamed' }))])).toBe('active');
  expect(sourceStateOf(planned, [plan(PLAN, { state: 'finished' })])).toBe('finished');
  expect(sourceStateOf(planned, [plan(PLAN, { state: 'not_started' })])).toBe('not_started');
  expect(sourceStateOf(planned, [plan(PLAN, { state: 'unreadable' })])).toBe('unreadable');
  expect(sourceStateOf(planned, [])).toBe('gone');
  const section = aState(fromLocal);
  expect(sourceStateOf(section, [localFile(aSaid({ workflow: 'FEATURE' }))])).toBe('active');
  expect(sourceStateOf(section, [localFile(aSaid({ workflow: 'Other' }))])).toBe('gone');
  expect(sourceStateOf(section, [localFile({ state: 'none' })])).toBe('gone');
  expect(sourceStateOf(aState({ source: { kind: 'cli' } }), [])).toBe('none');
  expect(sourceStateOf(aState(), [])).toBe('none');
});

describe('untouched for 14 days', () => {
  const written = (days: number) => ({
    ...plan(PLAN, aSaid()),
    modifiedAt: NOW.getTime() - days * DAY,
  });
  const touched = (days: number) => ({ modifiedAt: NOW.getTime() - days * DAY });

  test('is measured by the source, because hooks write to the run', () => {
    expect(isStale(aRun(fromPlan, touched(0)), [written(15)], NOW)).toBe(true);
    expect(isStale(aRun(fromPlan, touched(15)), [written(1)], NOW)).toBe(false);
  });

  test('and by the run if there is no source, or if somebody wrote to the run', () => {
    expect(isStale(aRun({}, touched(15)), [], NOW)).toBe(true);
    expect(isStale(aRun({}, touched(13)), [], NOW)).toBe(false);
    expect(isStale(aRun({ ...fromPlan, adopted: true }, touched(1)), [written(15)], NOW)).toBe(
      false,
    );
  });
});
