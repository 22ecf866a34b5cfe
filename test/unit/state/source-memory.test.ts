import { expect, test } from 'vitest';
import { forget, memoryFrom, recall, remember } from '../../../src/state/source-memory.ts';
import type { SourceFile } from '../../../src/state/sync.ts';
import { aSaid, localFile, plan } from '../../support/runs.ts';

const said = aSaid();
const planOf = (number: number): SourceFile => plan(`CLAUDE/Plan/${number}-x/PLAN.md`, said);
const entry = (runId: string, words = said) => ({ run_id: runId, said: { ...words } });

test('what every source of a run says is remembered', () => {
  const fedBy = [planOf(1), localFile(said)].map((source) => ({ source, said }));
  const memory = remember({}, fedBy, 'run');
  expect(recall(memory, planOf(1), said)).toEqual(entry('run'));
  expect(recall(memory, localFile(said), said)).toEqual(entry('run'));
  expect(recall(memory, planOf(2), said)).toBeUndefined();
});

test('of a plan by its path, of the local file by its path and the workflow’s slug', () => {
  const renamed = aSaid({ workflow: 'Renamed' });
  const memory = remember(
    {},
    [
      { source: planOf(1), said },
      { source: localFile(said), said },
    ],
    'r',
  );
  expect(recall(memory, planOf(1), renamed)).toEqual(entry('r'));
  expect(recall(memory, localFile(renamed), renamed)).toBeUndefined();
  expect(recall(memory, localFile(said), aSaid({ workflow: 'FEATURE!' }))).toEqual(entry('r'));
});

test('there is one entry a source, the last', () => {
  const later = aSaid({ key_reminders: ['ask'] });
  const first = remember({}, [{ source: planOf(1), said }], 'first');
  const memory = remember(first, [{ source: planOf(1), said: later }], 'second');
  expect(Object.values(memory)).toEqual([entry('second', later)]);
});

test('it is bounded; the oldest go', () => {
  const full = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, number) => [planOf(number).path, entry(`run-${number}`)]),
  );
  const memory = remember(full, [{ source: planOf(3_000), said }], 'run-3000');
  expect(Object.keys(memory)).toHaveLength(3_000);
  expect(recall(memory, planOf(0), said)).toBeUndefined();
  expect(recall(memory, planOf(1), said)).toEqual(entry('run-1'));
  expect(recall(memory, planOf(3_000), said)).toEqual(entry('run-3000'));
});

test('a source that said finished is forgotten, with every workflow it declared', () => {
  const other = aSaid({ workflow: 'Other' });
  const memory = remember(
    {},
    [
      { source: localFile(said), said },
      { source: localFile(other), said: other },
      { source: planOf(1), said },
      { source: planOf(11), said },
    ],
    'run',
  );
  const withoutPlan = forget(memory, planOf(1));
  expect(recall(withoutPlan, planOf(1), said)).toBeUndefined();
  expect(Object.keys(withoutPlan)).toHaveLength(3);
  const withoutLocal = forget(memory, localFile({ state: 'finished' }));
  expect(Object.keys(withoutLocal)).toEqual([planOf(1).path, planOf(11).path]);
});

test('a source named like a part of every object was not heard before', () => {
  expect(recall({}, plan('constructor', said), said)).toBeUndefined();
});

test('what is damaged in it is passed over, the rest counts', () => {
  const good = entry('r');
  const sources = { good, text: 'x', noRun: { said: {} }, noWords: { run_id: 'r', said: [] } };
  expect(memoryFrom({ version: 1, sources })).toEqual({ good });
  for (const damaged of [undefined, null, [], 'x', { sources: 3 }]) {
    expect(memoryFrom(damaged)).toEqual({});
  }
});
