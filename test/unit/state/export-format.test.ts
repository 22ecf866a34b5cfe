import { describe, expect, test } from 'vitest';
import { toExport, parseExport } from '../../../src/state/export-format.ts';
import { aRun, heldBy, NOW } from '../../support/runs.ts';

const run = aRun({
  ...heldBy('s1'),
  revision: 7,
  mine: 'an unknown key',
  context_metadata: {
    compaction_count: 2,
    artifacts_in_context: [{ artifact_id: 'spec', loaded_at: NOW.toISOString() }],
  },
});
const events = [{ event: 'started', at: NOW.toISOString() }];
const file = () => structuredClone(toExport(run, events, NOW));

test('a run goes through a file and loses nothing but its holder and what that had in its context', () => {
  const reading = parseExport(JSON.parse(JSON.stringify(file())));
  if (reading.kind === 'defect') throw new Error(reading.defect.kind);
  expect(reading.run).toMatchObject({ runId: run.runId, slug: run.slug, events });
  expect(reading.run.state).toEqual({
    ...run.state,
    sessions: { ...run.state.sessions, current_session_id: null },
    context_metadata: { compaction_count: 2, artifacts_in_context: [] },
  });
});

test('an id that was written by hand in the state is taken', () => {
  const given = { ...file(), run_id: 'mine', state: { ...run.state, run_id: 'mine' } };
  expect(parseExport(given)).toMatchObject({ kind: 'run', run: { runId: 'mine' } });
});

describe('a file that is refused', () => {
  test.each([
    ['no object', [], { kind: 'not_an_export' }],
    ['a state file', run.state, { kind: 'not_an_export' }],
    ['a newer version', { ...file(), version: 2 }, { kind: 'newer_version' }],
    ['an invalid slug', { ...file(), slug: '../x' }, { kind: 'bad_slug' }],
    ['a run id of another', { ...file(), run_id: 'other-20250501_080000' }, { kind: 'bad_run_id' }],
    ['an id of the file alone', { ...file(), run_id: 'mine' }, { kind: 'bad_run_id' }],
    [
      'an id by hand that leads away',
      { ...file(), run_id: '../x', state: { ...run.state, run_id: '../x' } },
      { kind: 'bad_run_id' },
    ],
    ['a run id that leads away', { ...file(), run_id: 'feature-../../x' }, { kind: 'bad_run_id' }],
    [
      'a state that is not a run',
      { ...file(), state: 'x' },
      { kind: 'bad_state', defect: 'not_an_object' },
    ],
  ])('%s', (_, json, defect) => {
    const reading = parseExport(json);
    expect(reading).toEqual({ kind: 'defect', defect });
  });
});

test('invalid events are left out', () => {
  const reading = parseExport({ ...file(), events: [null, { event: 3 }, ...events] });
  expect(reading).toMatchObject({ kind: 'run', run: { events } });
});

test('a time that is not a text is ignored', () => {
  const reading = parseExport({ ...file(), exported_at: { toString: 0 } });
  expect(reading).toMatchObject({ kind: 'run', run: { exported_at: '' } });
});
