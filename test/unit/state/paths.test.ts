import { expect, test } from 'vitest';
import * as places from '../../../src/state/paths.ts';

const started = new Date('2025-12-09T14:30:52.987Z');
const name = { slug: 'user-auth', runId: places.runIdFor('user-auth', started) };

test('a run is named after its slug and the second it was started in, UTC', () => {
  expect(name.runId).toBe('user-auth-20251209_143052');
});

test('its files are in a folder of its workflow, the journal beside the state', () => {
  const folder = 'untracked/workflow-state/user-auth';
  expect(places.runFolder(name)).toBe(folder);
  expect(places.stateFile(name)).toBe(`${folder}/state-user-auth-20251209_143052.json`);
  expect(places.journalFile(name)).toBe(`${folder}/events-user-auth-20251209_143052.jsonl`);
});

test('both have their place in the archive', () => {
  const archive = 'untracked/workflow-archive';
  expect(places.archivedState(name.runId)).toBe(`${archive}/user-auth-20251209_143052.json`);
  expect(places.archivedJournal(name.runId)).toBe(
    `${archive}/user-auth-20251209_143052.events.jsonl`,
  );
});

test('the run id is read back from the name of the file', () => {
  expect(places.runIdOf('state-user-auth-20251209_143052.json')).toBe(name.runId);
  expect(places.archivedRunIdOf('user-auth-20251209_143052.json')).toBe(name.runId);
});

test.each([
  'events-user-auth-20251209_143052.jsonl',
  'state-user-auth.json.corrupt-20251209_143052',
  '.tmp-1-abc-1',
  'notes.md',
])('%s is no state file', (file) => {
  expect(places.runIdOf(file)).toBeUndefined();
});

test('journals in the archive are no records', () => {
  expect(places.archivedRunIdOf('user-auth-20251209_143052.events.jsonl')).toBeUndefined();
});

test('a run id tells when the run was started, if it has a time', () => {
  expect(places.timeIn(name.runId)).toBe('2025-12-09T14:30:52Z');
  expect(places.timeIn('by-hand')).toBeUndefined();
});

test('a file that is moved aside tells when', () => {
  expect(places.quarantineName('state-x.json', started)).toBe(
    'state-x.json.corrupt-20251209_143052',
  );
});
