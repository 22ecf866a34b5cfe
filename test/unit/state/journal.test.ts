import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { journalLine, readJournal, withoutUndone } from '../../../src/state/journal.ts';
import { NOW } from '../../support/runs.ts';

const line = (event: string, at = NOW): string => `${journalLine({ event }, at)}\n`;

test('an event is one line with its time', () => {
  const text = journalLine({ event: 'started', by: 'cli', note: 'two\nlines' }, NOW);
  expect(text).not.toContain('\n');
  expect(readJournal(text)).toEqual([
    { at: NOW.toISOString(), event: 'started', by: 'cli', note: 'two\nlines' },
  ]);
});

test('a long text is cut, and says so', () => {
  const [event] = readJournal(journalLine({ event: 'failed', reason: 'x'.repeat(2_000) }, NOW));
  expect(event?.['reason']).toBe(`${'x'.repeat(500)}…`);
});

test('half a line, a blank one and what is no event are passed over', () => {
  const text = `${line('one')}\n{"event":"ha\n"text"\n[1]\n{"event":1,"at":"x"}\n${line('two')}`;
  expect(readJournal(text).map(({ event }) => event)).toEqual(['one', 'two']);
});

test('wherever a journal was cut off, its whole lines are read', () => {
  const text = ['one', 'two', 'three'].map((event) => line(event)).join('');
  fc.assert(
    fc.property(fc.nat(text.length), (length) => {
      const whole = text.slice(0, length).split('\n').length - 1;
      const events = readJournal(text.slice(0, length)).map(({ event }) => event);
      expect(events.slice(0, whole)).toEqual(['one', 'two', 'three'].slice(0, whole));
      expect(events.length).toBeLessThanOrEqual(whole + 1);
    }),
  );
});

describe('a last line without its end', () => {
  const before = new Date(NOW.getTime() - 1);
  const text = `${line('started', before)}${line('advanced')}`;

  test('that is not whole never counts, and nothing else is ever dropped', () => {
    fc.assert(
      fc.property(fc.nat(text.length), fc.constantFrom(NOW, before), (length, updatedAt) => {
        const cut = text.slice(0, length);
        const kept = withoutUndone(cut, updatedAt.toISOString());
        const isWhole = cut.endsWith('}') && JSON.parse(cut.split('\n').at(-1) ?? '').at;
        const ended = cut.slice(0, cut.lastIndexOf('\n') + 1);
        expect(kept).toBe(isWhole === updatedAt.toISOString() ? cut : ended);
      }),
    );
  });
});
