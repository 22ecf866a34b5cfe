import { describe, expect, test } from 'vitest';
import { frameNotice, offerNotice, shortNotice } from '../../../src/guidance/notices.ts';
import type { ReadingEntry } from '../../../src/reading/reading-list.ts';
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
    offerNotice(
      Array.from({ length: count }, (_, index) => aRun({}, { runId: `run-${index + 1}` })),
      ({ runId }) => `described: ${runId}`,
      () => false,
    ).split('\n');

  test('sees what is in progress, who holds it, since when, and how to take it', () => {
    const line = (isHeld: boolean): string =>
      offerNotice(
        [run],
        () => 'started yesterday',
        () => isHeld,
      );
    expect(line(false)).toBe(
      'In progress here: Release, Phase 2/3 - Build, started yesterday; `holdfast resume release-20250501_080000` continues it here.',
    );
    expect(line(true)).toContain(
      '`holdfast resume release-20250501_080000 --force` continues it here.',
    );
  });

  test('is told that a run of a live session needs --force', () => {
    const text = offerNotice(
      [run],
      () => 'held by session abc',
      () => true,
    );
    expect(text).toContain('`holdfast resume release-20250501_080000 --force`');
  });

  test('sees three runs in a line each', () => {
    expect(offer(3).map((line) => /described: (\S+);/.exec(line)?.[1])).toEqual([
      'run-1',
      'run-2',
      'run-3',
    ]);
  });

  test.each([
    [4, 2],
    [40, 38],
  ])('sees two of %i runs, and the command that lists the other %i', (count, left) => {
    const lines = offer(count);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('`holdfast resume run-2`');
    expect(lines[2]).toBe(`… ${left} more: \`holdfast list\``);
  });

  test('a name cannot add a line', () => {
    const text = offerNotice(
      [hostile, hostile, hostile],
      () => 'x',
      () => true,
    );
    expect(text.split('\n')).toHaveLength(3);
    expect(text).not.toContain('<system');
  });
});
