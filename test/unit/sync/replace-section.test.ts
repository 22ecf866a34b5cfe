import { describe, expect, test } from 'vitest';
import { holderOf, sessionRecord } from '../../../src/sessions/holder.ts';
import type { RunState } from '../../../src/state/types.ts';
import { planSync } from '../../../src/sync/plan-sync.ts';
import { recordSources } from '../../../src/sync/source-records.ts';
import type { SyncChange, SyncInput } from '../../../src/sync/types.ts';
import { aRun, aSaid, HERE, heldBy, LOCAL_FILE, localFile, NOW, plan } from '../../support/runs.ts';

const sync = (fields: Partial<SyncInput>) =>
  planSync({
    sources: [],
    runs: [],
    sourceRecords: {},
    session: null,
    now: NOW,
    hostname: HERE,
    ...fields,
  });
const section = (workflow: string, reading: string[] = []) =>
  aSaid({ workflow, required_reading: reading });
const fromSection = (workflow: string, state: Partial<RunState> = {}, reading: string[] = []) =>
  aRun({
    workflow,
    required_reading: reading,
    source: { kind: 'local-file', path: LOCAL_FILE, said: { ...section(workflow, reading) } },
    ...state,
  });
const stateIn = (change: SyncChange | undefined): RunState =>
  change !== undefined && 'state' in change ? change.state : expect.fail('no state');

describe('a section that names another workflow', () => {
  test('renames the run if it reads the same files, and changes nothing else', () => {
    const run = fromSection('Featur', heldBy('s'), ['@a.md', '@b.md']);
    const renamed = section('Feature', ['@b.md', '@a.md']);
    const [change, ...more] = sync({ runs: [run], sources: [localFile(renamed)] });
    expect(more).toEqual([]);
    expect(change).toMatchObject({ kind: 'update', run });
    expect(stateIn(change)).toEqual({
      ...run.state,
      workflow: 'Feature',
      source: { kind: 'local-file', path: LOCAL_FILE, said: renamed },
    });
  });

  test('renames a run that somebody wrote to as well', () => {
    const run = fromSection('Featur', { adopted: true }, ['@a.md']);
    expect(
      sync({ runs: [run], sources: [localFile(section('Feature', ['@a.md']))] }),
    ).toMatchObject([{ kind: 'update', run, state: { workflow: 'Feature', adopted: true } }]);
  });

  test('otherwise releases it, and its session holds the new run', () => {
    const run = fromSection('Old', heldBy('s'), ['@a.md']);
    const changes = sync({ runs: [run], sources: [localFile(section('New', ['@b.md']))] });
    const [released, created] = changes;
    expect(changes).toMatchObject([
      { kind: 'update', run, updates: [] },
      { kind: 'create', state: { workflow: 'New' } },
    ]);
    expect(holderOf(stateIn(released))).toBeNull();
    expect(sessionRecord(stateIn(released), 's')).toMatchObject({
      released_at: NOW.toISOString(),
    });
    expect(holderOf(stateIn(created))).toBe('s');
    expect(sessionRecord(stateIn(created), 's')).not.toHaveProperty('released_at');
  });

  test('empty reading lists are not the same work', () => {
    const run = fromSection('Old');
    expect(
      sync({ runs: [run], sources: [localFile(section('New'))] }).map(({ kind }) => kind),
    ).toEqual(['update', 'create']);
  });

  test('the released run stays, and is not archived by the next sync', () => {
    const run = fromSection('Old', heldBy('s'));
    const sources = [localFile(section('New'))];
    const [released, created] = sync({ runs: [run], sources });
    const runs = [{ ...run, state: stateIn(released) }, aRun(stateIn(created))];
    expect(sync({ runs, sources })).toEqual([]);
    expect(sync({ runs: [{ ...run, state: stateIn(released) }], sources: [] })).toEqual([]);
  });

  test('that has a run already continues that one', () => {
    const old = fromSection('Old', heldBy('s'));
    const next = aRun({ workflow: 'Next', source: { kind: 'cli' }, adopted: true });
    const changes = sync({ runs: [old, next], sources: [localFile(section('Next'))] });
    expect(changes).toMatchObject([
      { kind: 'update', run: old },
      { kind: 'update', run: next },
    ]);
    expect(changes.map(stateIn).map(holderOf)).toEqual([null, 's']);
  });

  test('does not take that run from another live session', () => {
    const old = fromSection('Old', heldBy('s'));
    const next = aRun({ workflow: 'Next', source: { kind: 'cli' }, ...heldBy('other') });
    const changes = sync({ runs: [old, next], sources: [localFile(section('Next'))] });
    expect(changes.map(stateIn).map(holderOf)).toEqual([null, 'other']);
  });

  test('and back again returns the session to the first run', () => {
    const first = fromSection('First', heldBy('s'));
    const [released, created] = sync({ runs: [first], sources: [localFile(section('Second'))] });
    const runs = [{ ...first, state: stateIn(released) }, aRun(stateIn(created))];
    const sourceRecords = recordSources({}, [
      { source: localFile(section('First')), declared: section('First'), runId: first.runId },
      {
        source: localFile(section('Second')),
        declared: section('Second'),
        runId: runs[1]?.runId ?? '',
      },
    ]);
    const changes = sync({ runs, sources: [localFile(section('First'))], sourceRecords });
    const holders = changes.map((change) => [stateIn(change).workflow, holderOf(stateIn(change))]);
    expect(Object.fromEntries(holders)).toEqual({ First: 's', Second: null });
    const back = changes.map(stateIn).find(({ workflow }) => workflow === 'First');
    expect(back?.source).not.toHaveProperty('replaced_by');
  });
});

describe('with several sections', () => {
  const other = fromSection('Other');
  const old = fromSection('Old', heldBy('s'));

  test('the one that vanished is replaced by the only new one', () => {
    const sources = [localFile(section('Other')), localFile(section('New'))];
    const changes = sync({ runs: [other, old], sources });
    expect(changes).toMatchObject([
      { kind: 'update', run: old },
      { kind: 'create', state: { workflow: 'New', sessions: { current_session_id: 's' } } },
    ]);
  });

  test('each that is the same work under another name renames its run', () => {
    const runs = [
      fromSection('Login', heldBy('s'), ['@login.md']),
      fromSection('Search', heldBy('t'), ['@search.md']),
    ];
    const sources = [
      localFile(section('Search 2', ['@search.md'])),
      localFile(section('Login 2', ['@login.md'])),
      localFile(section('New', ['@new.md'])),
    ];
    const changes = sync({ runs, sources });
    expect(changes).toMatchObject([
      { kind: 'update', run: runs[0], state: { workflow: 'Login 2' } },
      { kind: 'update', run: runs[1], state: { workflow: 'Search 2' } },
      { kind: 'create', state: { workflow: 'New' } },
    ]);
    expect(changes.map(stateIn).map(holderOf)).toEqual(['s', 't', null]);
  });

  test('the same work twice renames nothing', () => {
    const run = fromSection('Login', {}, ['@login.md']);
    const sources = ['One', 'Two'].map((name) => localFile(section(name, ['@login.md'])));
    expect(sync({ runs: [run], sources }).map(({ kind }) => kind)).toEqual([
      'create',
      'create',
      'archive',
    ]);
  });

  test('two new ones replace nothing: the one that vanished is gone', () => {
    const sources = [localFile(section('New')), localFile(section('Newer'))];
    expect(sync({ runs: [old], sources }).map(({ kind }) => kind)).toEqual([
      'create',
      'create',
      'archive',
    ]);
  });

  test('a section whose run has ended is not new', () => {
    const ended = { source: localFile(section('Ended')), declared: section('Ended'), runId: 'x' };
    const sources = [localFile(section('Ended'))];
    const sourceRecords = recordSources({}, [ended]);
    expect(sync({ runs: [old], sources, sourceRecords })).toMatchObject([
      { kind: 'archive', run: old },
    ]);
  });

  test('a section that feeds the run of a plan is not new', () => {
    const path = 'CLAUDE/Plan/7-x/PLAN.md';
    const planned = aRun({
      workflow: 'Planned',
      source: { kind: 'plan', path, said: { ...section('Planned') } },
    });
    const sources = [localFile(section('Planned')), plan(path, section('Planned'))];
    const sourceRecords = recordSources({}, [
      { source: localFile(section('Planned')), declared: section('Planned'), runId: planned.runId },
    ]);
    expect(sync({ runs: [old, planned], sources, sourceRecords })).toMatchObject([
      { kind: 'archive', run: old },
    ]);
  });
});
