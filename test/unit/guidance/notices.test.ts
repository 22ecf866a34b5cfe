import { describe, expect, test } from 'vitest';
import {
  candidatesNotice,
  frameNotice,
  offerNotice,
  shortNotice,
} from '../../../src/guidance/notices.ts';
import type { ReadingEntry } from '../../../src/guidance/reading/reading-list.ts';
import { aPhase, aRun } from '../../support/runs.ts';

const NOTHING_LOST = { files: [], artifacts: [] };
const run = aRun({ workflow: 'Release', phase: aPhase({ current: 2, total: 3, name: 'Build' }) });
const hostile = aRun(
  { workflow: 'A\nB <system>', phase: aPhase({ name: 'C\u202E\nD' }) },
  { runId: 'hostile-1' },
);
const long = aRun({ workflow: '😀'.repeat(500), phase: aPhase({ name: 'n'.repeat(500) }) });

describe('a session that still has its conversation', () => {
  test('sees what changed or is no longer in the conversation, and how to load it again', () => {
    const text = shortNotice(aRun(), {
      files: ['@docs/spec.md', ...Array.from({ length: 11 }, (_, n) => `@${n}.md`)],
      artifacts: ['spec'],
    });
    expect(text).toContain('Changed, or no longer in this conversation: @docs/spec.md, @0.md');
    expect(text).toContain('and 3 more. Load them again with the Read tool or `holdfast prime`.');
  });

  test('is not offered `prime` for files that only have to be read', () => {
    const text = shortNotice(aRun(), { files: ['@docs/spec.md'], artifacts: [] });
    expect(text).toContain('Load them again with the Read tool.');
    expect(text).not.toContain('prime');
  });

  test('sees in two lines where its run stands and which command shows the rest', () => {
    expect(shortNotice(run, NOTHING_LOST)).toBe(
      [
        'This session works on Release, Phase 2/3 - Build (in_progress).',
        '`holdfast status release-20250501_080000` shows where it stands. When done: holdfast advance',
      ].join('\n'),
    );
  });

  test.each([
    [{ required_reading: ['@a.md'], key_reminders: ['x'] }, 'its required reading and reminders'],
    [{ required_reading: ['@a.md'] }, 'its required reading'],
    [{ key_reminders: ['x'] }, 'its reminders'],
  ])('is told what status shows, if the run has it: %j', (fields, shown) => {
    const withFields = { ...run, state: { ...run.state, ...fields } };
    expect(shortNotice(withFields, NOTHING_LOST)).toContain(` shows ${shown}. `);
  });

  test('sees at most three lines, whatever the names contain', () => {
    expect(shortNotice(hostile, NOTHING_LOST)).toMatch(
      /^This session works on A B &lt;system>, Phase 1\/5 - C D \(in_progress\)\.\n[^\n]*$/,
    );
    expect(shortNotice(long, NOTHING_LOST).length).toBeLessThan(800);
    expect(shortNotice(long, NOTHING_LOST)).not.toMatch(/\p{Surrogate}/u);
  });

  test('a phase without a name is its number', () => {
    expect(shortNotice(aRun({ phase: aPhase({ name: '' }) }), NOTHING_LOST)).toContain(
      'Phase 1/5 (in_progress).',
    );
  });
});

describe('a session whose context was cleared without the run asking for it', () => {
  test('sees workflow, phase and paths, and how to continue', () => {
    const reading: ReadingEntry[] = [
      { path: '@a.md', state: 'in_context' },
      { path: '@gone.md', state: 'missing' },
      { path: '@../x.md', state: 'outside' },
      { path: '@CLAUDE.md', state: 'host' },
    ];
    expect(frameNotice(run, reading, null).split('\n')).toEqual([
      'A WORKFLOW WAS IN PROGRESS BEFORE THE CONTEXT WAS CLEARED',
      '',
      'Workflow: Release',
      'Phase: 2/3 - Build (in_progress)',
      '',
      'Required reading',
      '@a.md',
      '@gone.md (missing)',
      '@../x.md (outside the project)',
      '@CLAUDE.md (loaded by the host)',
      '',
      'This session still holds the run: continue with it if the user wants to (`holdfast guidance release-20250501_080000` shows everything about it). If this conversation is about something else, run `holdfast release`.',
    ]);
  });

  test('sees no reading section if nothing is required', () => {
    const lines = frameNotice(run, [], null).split('\n');
    expect(lines).toHaveLength(6);
    expect(lines).not.toContain('Required reading');
  });

  test.each([
    [10, []],
    [11, ['… 1 more: `holdfast status`']],
    [30, ['… 20 more: `holdfast status`']],
  ])('sees at most ten of %i files', (count, more) => {
    const reading = Array.from({ length: count }, (_, index): ReadingEntry => {
      return { path: `@${index + 1}.md`, state: 'unread' };
    });
    const lines = frameNotice(run, reading, null).split('\n');
    const first = lines.indexOf('Required reading') + 1;
    expect(lines.slice(first, -2)).toEqual([
      ...reading.slice(0, 10).map(({ path }) => path),
      ...more,
    ]);
  });

  test('is not misled by hostile names', () => {
    const lines = frameNotice(hostile, [{ path: '@a\nb <system>', state: 'unread' }], null).split(
      '\n',
    );
    expect(lines).toContain('Workflow: A B &lt;system>');
    expect(lines).toContain('@a b &lt;system> (`holdfast status --json` has its exact name)');
  });
});

describe('a session that holds no run', () => {
  const offer = (count: number): string[] =>
    offerNotice(Array.from({ length: count }, (_, index) => `line ${index + 1}`)).split('\n');

  test('sees three lines at most, and the command that lists the rest', () => {
    expect(offer(3)).toEqual(['line 1', 'line 2', 'line 3']);
    expect(offer(4)).toEqual(['line 1', 'line 2', '… 2 more: `holdfast list`']);
    expect(offer(40)).toHaveLength(3);
  });
});

describe('what a session is told after an undecided compaction', () => {
  const notice = (count: number): string =>
    candidatesNotice(
      Array.from({ length: count }, (_, index) => aRun({}, { runId: `run-${index + 1}` })),
      () => 'held by nobody',
    );

  test('of one run does not speak of several', () => {
    expect(notice(1)).toContain(
      'Nothing shows whether this conversation works on this one, so it was not restored.',
    );
    expect(notice(1)).not.toMatch(/these|one of them/);
    expect(notice(2)).toContain('Nothing shows which of these this conversation works on');
  });
});
