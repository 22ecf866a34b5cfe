import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOurCommandLine } from '../../../../src/doctor/host/registrations.ts';
import { readTranscript, type Transcript } from '../../../../src/doctor/host/transcript.ts';
import { boundary, compacted, hookRecord, OURS, OTHER } from '../transcripts-support.ts';

const read = (lines: readonly string[]): Transcript => readTranscript(lines, isOurCommandLine);

const AT = Date.parse('2025-06-01T12:00:00.000Z');

test('a hook with output is recorded with its result', () => {
  const { traces } = read([
    hookRecord(OURS, 'hook_success', 0),
    hookRecord(OURS, 'hook_non_blocking_error', 1),
    hookRecord(OTHER, 'hook_non_blocking_error', 1),
  ]);
  expect(traces).toEqual([
    { event: 'SessionStart:compact', at: AT, failure: null },
    { event: 'SessionStart:compact', at: AT, failure: 'Failed with status code 1' },
  ]);
});

test('after /compact the hooks that ran are listed, silent ones too', () => {
  const { traces, compactions } = read([boundary(), compacted(OTHER, OURS)]);
  expect(traces).toEqual([
    { event: 'PreCompact', at: AT, failure: null },
    { event: 'PostCompact', at: AT, failure: null },
  ]);
  expect(compactions).toEqual([{ at: AT, isListed: true }]);
});

test('distinguishes a compaction that does not list our hooks from one without a list', () => {
  expect(read([boundary(), compacted(OTHER)]).compactions).toEqual([{ at: AT, isListed: false }]);
  expect(read([boundary()]).compactions).toEqual([{ at: AT, isListed: null }]);
});

test('lines that are cut off or of another kind are passed over', () => {
  const lines = [
    hookRecord(OURS, 'hook_success', 0),
    boundary(),
    compacted(OURS),
    '[]',
    'null',
    '7',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...lines), fc.nat(400), (line, end) => {
      const cut = line.slice(0, Math.min(end, line.length - 1));
      expect(read([cut]).traces).toEqual([]);
    }),
  );
});
