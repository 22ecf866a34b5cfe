import type { SourceFile } from '../../../src/sync/types.ts';
import { memoryFrom } from '../../../src/state/store/source-memory-file.ts';
import { expect, test } from 'vitest';
import {
  forget,
  recordOfSource,
  remember,
  sourcesToRefingerprint,
  withFingerprints,
} from '../../../src/sync/source-memory.ts';
import { aSaid, localFile, plan } from '../../support/runs.ts';

const said = aSaid();
const planOf = (number: number): SourceFile => plan(`CLAUDE/Plan/${number}-x/PLAN.md`, said);
const entry = (runId: string, words = said) => ({ run_id: runId, said: { ...words } });

test('what every source of a run says is remembered', () => {
  const fedBy = [planOf(1), localFile(said)].map((source) => ({ source, said, runId: 'run' }));
  const memory = remember({}, fedBy);
  expect(recordOfSource(memory, planOf(1), said)).toEqual(entry('run'));
  expect(recordOfSource(memory, localFile(said), said)).toEqual(entry('run'));
  expect(recordOfSource(memory, planOf(2), said)).toBeUndefined();
});

test('of a plan by its path, of the local file by its path and the workflow’s slug', () => {
  const renamed = aSaid({ workflow: 'Renamed' });
  const memory = remember({}, [
    { source: planOf(1), said, runId: 'r' },
    { source: localFile(said), said, runId: 'r' },
  ]);
  expect(recordOfSource(memory, planOf(1), renamed)).toEqual(entry('r'));
  expect(recordOfSource(memory, localFile(renamed), renamed)).toBeUndefined();
  expect(recordOfSource(memory, localFile(said), aSaid({ workflow: 'FEATURE!' }))).toEqual(
    entry('r'),
  );
});

test('there is one entry a source, the last', () => {
  const later = aSaid({ key_reminders: ['ask'] });
  const first = remember({}, [{ source: planOf(1), said, runId: 'first' }]);
  const memory = remember(first, [{ source: planOf(1), said: later, runId: 'second' }]);
  expect(Object.values(memory)).toEqual([entry('second', later)]);
});

test('it is bounded; the oldest go', () => {
  const full = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, number) => [planOf(number).path, entry(`run-${number}`)]),
  );
  const memory = remember(full, [{ source: planOf(3_000), said, runId: 'run-3000' }]);
  expect(Object.keys(memory)).toHaveLength(3_000);
  expect(recordOfSource(memory, planOf(0), said)).toBeUndefined();
  expect(recordOfSource(memory, planOf(1), said)).toEqual(entry('run-1'));
  expect(recordOfSource(memory, planOf(3_000), said)).toEqual(entry('run-3000'));
});

test('a source that said finished is forgotten, with every workflow it declared', () => {
  const other = aSaid({ workflow: 'Other' });
  const memory = remember({}, [
    { source: localFile(said), said, runId: 'run' },
    { source: localFile(other), said: other, runId: 'run' },
    { source: planOf(1), said, runId: 'run' },
    { source: planOf(11), said, runId: 'run' },
  ]);
  const withoutPlan = forget(memory, planOf(1));
  expect(recordOfSource(withoutPlan, planOf(1), said)).toBeUndefined();
  expect(Object.keys(withoutPlan)).toHaveLength(3);
  const withoutLocal = forget(memory, localFile({ state: 'finished' }));
  expect(Object.keys(withoutLocal)).toEqual([planOf(1).path, planOf(11).path]);
});

test('a source named like a part of every object was not heard before', () => {
  expect(recordOfSource({}, plan('constructor', said), said)).toBeUndefined();
});

test('what is damaged in it is passed over, the rest counts', () => {
  const good = entry('r');
  const paths = [1, 2, 3].map((number) => planOf(number).path);
  const [first = '', second = '', third = ''] = paths;
  const memory = memoryFrom({ sources: { [first]: good, [second]: 'x', [third]: { said: {} } } });
  expect(paths.map((_, index) => recordOfSource(memory, planOf(index + 1), said))).toEqual([
    good,
    undefined,
    undefined,
  ]);
  for (const damaged of [undefined, null, [], 'x', { sources: 3 }]) {
    expect(memoryFrom(damaged)).toEqual({});
  }
});

test('sources that were touched and say the same get the mark of now, the others stay as they are', () => {
  const basis = (mark: string, digest = 'd') => ({ digest, mark, exists: {} });
  const marked = (number: number, mark: string, digest?: string): SourceFile => ({
    ...planOf(number),
    basis: basis(mark, digest),
  });
  const fed = [1, 2, 3].map((number) => ({ source: marked(number, 'old'), said, runId: 'r' }));
  const memory = remember({}, fed);
  const now = [marked(1, 'old'), marked(2, 'new'), marked(3, 'new', 'other'), marked(4, 'new')];
  expect(sourcesToRefingerprint(memory, now)).toEqual([now[1]]);
  const renewed = withFingerprints(memory, now);
  expect(recordOfSource(renewed, planOf(2), said)).toEqual({ ...entry('r'), basis: basis('new') });
  for (const number of [1, 3, 4])
    expect(recordOfSource(renewed, planOf(number), said)).toEqual(
      recordOfSource(memory, planOf(number), said),
    );
  expect(sourcesToRefingerprint(renewed, now)).toEqual([]);
});
