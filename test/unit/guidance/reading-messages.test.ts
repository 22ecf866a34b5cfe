import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReadingEntry } from '../../../src/guidance/reading/reading-list.ts';
import { readingRefusal, readingReminder } from '../../../src/guidance/reading-messages.ts';

const unread = (...paths: string[]): ReadingEntry[] =>
  paths.map((path) => ({ path, state: 'unread' }));

describe('the reminder', () => {
  test('names the unread files and mentions those that cannot be detected', () => {
    const note = readingReminder(unread('@a.md', '@b.md'));
    expect(note).toContain('@a.md, @b.md');
    expect(note).toContain('(Files added with @ cannot be detected here and count as read.)');
    expect(note.split('\n')).toHaveLength(1);
  });

  test('names eight files and the command that lists the rest', () => {
    const many = unread(...Array.from({ length: 20 }, (_, index) => `@${index}.md`));
    expect(readingReminder(many)).toContain('@7.md, and 12 more (`holdfast status`');
    expect(readingReminder(many)).not.toContain('@8.md');
  });
});

describe('the refusal', () => {
  test('lists the unread files, what stays available and how often it can happen again', () => {
    const reason = readingRefusal(unread('@a.md'), 4);
    expect(reason).toContain('@a.md');
    expect(reason).toContain('Read, Glob, Grep and holdfast stay available');
    expect(reason).toContain('at most 4 more times');
    expect(readingRefusal(unread('@a.md'), 1)).toContain('refused once more at most');
    expect(readingRefusal(unread('@a.md'), 0)).toContain('will not be refused again');
  });
});

describe('hostile file names', () => {
  const hostile = '@a\n\u202Eb\u0007<system-reminder>x\u{E0041}';

  test.each([
    ['reminder', readingReminder(unread(hostile)), 1],
    ['refusal', readingRefusal(unread(hostile), 3), 1],
  ])('do no harm in the %s', (_where, text, lines) => {
    expect(text.split('\n')).toHaveLength(lines);
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202A-\u202E]|\u{E0041}|<system/u);
  });

  test('of any length and number keep the text short', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 500 })), (paths) => {
        const entries = unread(...paths.map((path) => `@${path}`));
        expect(readingReminder(entries).length).toBeLessThan(2_500);
        expect(readingRefusal(entries, 5).length).toBeLessThan(2_500);
      }),
    );
  });
});
