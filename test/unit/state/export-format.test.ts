import { describe, expect, test } from 'vitest';
import { toExport, parseExport } from '../../../src/state/export-format.ts';
import { aRun, heldBy, NOW } from '../../support/runs.ts';

const run = aRun({
  ...heldBy('s1'),
  revision: 7,
  mine: 'an unknown key',
  context_metadata: {
    compaction_count: 2,
    artifacts_in_context: [
      { artifact_id: 'spec', loaded_at: NOW.toISOString() },
    ],
  },
});
const events = [{ event: 'started', at: NOW.toISOString() }];
const file = () => structuredClone(toExport(run, events, NOW));

test('a run goes through a file and loses nothing but its holder and what that had in its context', () => {
  const read = parseExport(JSON.parse(JSON.stringify(file())));
  if (typeof read === 'string') throw new Error(read);
  expect(read).toMatchObject({ runId: run.runId, slug: run.slug, events });
  expect(read.state).toEqual({
    ...run.state,
    sessions: { ...run.state.sessions, current_session_id: null },
    context_metadata: { compaction_count: 2, artifacts_in_context: [] },
  });
});

const BAD_ID = '"run_id" is not the name of a run';

describe('a file that is refused', () => {
  test.each([
    ['no object', [], 'it was not written by `holdfast export`'],
    ['a state file', run.state, 'it was not written by `holdfast export`'],
    [
      'a newer version',
      { ...file(), version: 2 },
      'it was written by a newer version of holdfast',
    ],
    [
      'an invalid slug',
      { ...file(), slug: '../x' },
      '"slug" is not the name of a run',
    ],
    [
      'a run id of another',
      { ...file(), run_id: 'other-20250501_080000' },
      BAD_ID,
    ],
    [
      'a run id that leads away',
      { ...file(), run_id: 'feature-../../x' },
      BAD_ID,
    ],
    [
      'a state that is not a run',
      { ...file(), state: 'x' },
      '"state": it is not a JSON object',
    ],
  ])('%s', (_, json, why) => {
    expect(parseExport(json)).toBe(why);
  });
});

test('invalid events are left out', () => {
  const read = parseExport({
    ...file(),
    events: [null, { event: 3 }, ...events],
  });
  expect(read).toMatchObject({ events });
});
