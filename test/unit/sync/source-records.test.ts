import type { PlanSource, SourceFile } from '../../../src/sync/types.ts';
import { parseSourceRecords } from '../../../src/state/store/read-records.ts';
import { expect, test } from 'vitest';
import {
  forgetSource,
  recordOfSource,
  recordSources,
  sourcesToRefingerprint,
  withFingerprints,
} from '../../../src/sync/source-records.ts';
import { aSaid, localFile, plan } from '../../support/runs.ts';

const said = aSaid();
const planOf = (number: number): PlanSource => plan(`CLAUDE/Plan/${number}-x/PLAN.md`, said);
const entry = (runId: string, words = said) => ({ run_id: runId, said: { ...words } });

test('what every source of a run says is remembered', () => {
  const merged = [planOf(1), localFile(said)].map((source) => ({
    source,
    declared: said,
    runId: 'run',
  }));
  const records = recordSources({}, merged);
  expect(recordOfSource(records, { source: planOf(1), declared: said })).toEqual(entry('run'));
  expect(recordOfSource(records, { source: localFile(said), declared: said })).toEqual(
    entry('run'),
  );
  expect(recordOfSource(records, { source: planOf(2), declared: said })).toBeUndefined();
});

test('of a plan by its path, of the local file by its path and the workflow’s slug', () => {
  const renamed = aSaid({ workflow: 'Renamed' });
  const records = recordSources({}, [
    { source: planOf(1), declared: said, runId: 'r' },
    { source: localFile(said), declared: said, runId: 'r' },
  ]);
  expect(recordOfSource(records, { source: planOf(1), declared: renamed })).toEqual(entry('r'));
  expect(
    recordOfSource(records, { source: localFile(renamed), declared: renamed }),
  ).toBeUndefined();
  expect(
    recordOfSource(records, { source: localFile(said), declared: aSaid({ workflow: 'FEATURE!' }) }),
  ).toEqual(entry('r'));
});

test('there is one entry a source, the last', () => {
  const later = aSaid({ key_reminders: ['ask'] });
  const first = recordSources({}, [{ source: planOf(1), declared: said, runId: 'first' }]);
  const records = recordSources(first, [{ source: planOf(1), declared: later, runId: 'second' }]);
  expect(Object.values(records)).toEqual([entry('second', later)]);
});

test('it is bounded; the oldest go', () => {
  const full = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, number) => [planOf(number).path, entry(`run-${number}`)]),
  );
  const records = recordSources(full, [
    { source: planOf(3_000), declared: said, runId: 'run-3000' },
  ]);
  expect(Object.keys(records)).toHaveLength(3_000);
  expect(recordOfSource(records, { source: planOf(0), declared: said })).toBeUndefined();
  expect(recordOfSource(records, { source: planOf(1), declared: said })).toEqual(entry('run-1'));
  expect(recordOfSource(records, { source: planOf(3_000), declared: said })).toEqual(
    entry('run-3000'),
  );
});

test('a source that said finished is forgotten, with every workflow it declared', () => {
  const other = aSaid({ workflow: 'Other' });
  const records = recordSources({}, [
    { source: localFile(said), declared: said, runId: 'run' },
    { source: localFile(other), declared: other, runId: 'run' },
    { source: planOf(1), declared: said, runId: 'run' },
    { source: planOf(11), declared: said, runId: 'run' },
  ]);
  const withoutPlan = forgetSource(records, planOf(1));
  expect(recordOfSource(withoutPlan, { source: planOf(1), declared: said })).toBeUndefined();
  expect(Object.keys(withoutPlan)).toHaveLength(3);
  const withoutLocal = forgetSource(records, localFile({ state: 'finished' }));
  expect(Object.keys(withoutLocal)).toEqual([planOf(1).path, planOf(11).path]);
});

test('a source named like a part of every object was not heard before', () => {
  expect(recordOfSource({}, { source: plan('constructor', said), declared: said })).toBeUndefined();
});

test('what is damaged in it is passed over, the rest counts', () => {
  const good = entry('r');
  const paths = [1, 2, 3].map((number) => planOf(number).path);
  const [first = '', second = '', third = ''] = paths;
  const records = parseSourceRecords({
    sources: { [first]: good, [second]: 'x', [third]: { said: {} } },
  });
  expect(
    paths.map((_, index) => recordOfSource(records, { source: planOf(index + 1), declared: said })),
  ).toEqual([good, undefined, undefined]);
  for (const damaged of [undefined, null, [], 'x', { sources: 3 }]) {
    expect(parseSourceRecords(damaged)).toEqual({});
  }
});

test('sources that were touched and say the same get the mark of now, the others stay as they are', () => {
  const basis = (mark: string, digest = 'd') => ({ digest, mark, exists: {} });
  const marked = (number: number, mark: string, digest?: string): SourceFile => ({
    ...planOf(number),
    fingerprint: basis(mark, digest),
  });
  const merged = [1, 2, 3].map((number) => ({
    source: marked(number, 'old'),
    declared: said,
    runId: 'r',
  }));
  const records = recordSources({}, merged);
  const now = [marked(1, 'old'), marked(2, 'new'), marked(3, 'new', 'other'), marked(4, 'new')];
  expect(sourcesToRefingerprint(records, now)).toEqual([now[1]]);
  const renewed = withFingerprints(records, now);
  expect(recordOfSource(renewed, { source: planOf(2), declared: said })).toEqual({
    ...entry('r'),
    basis: basis('new'),
  });
  for (const number of [1, 3, 4])
    expect(recordOfSource(renewed, { source: planOf(number), declared: said })).toEqual(
      recordOfSource(records, { source: planOf(number), declared: said }),
    );
  expect(sourcesToRefingerprint(renewed, now)).toEqual([]);
});
