import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJournal } from '../../../src/state/journal.ts';
import { journalLine } from '../../../src/state/store/journal-files.ts';
import { NOW } from '../../support/runs.ts';

const line = (event: string, at = NOW): string =>
  `${journalLine({ event }, at)}\n`;

test('a long text is cut, and says so', () => {
  const [event] = readJournal(
    journalLine({ event: 'failed', reason: 'x'.repeat(2_000) }, NOW),
  );
  expect(event?.['reason']).toBe(`${'x'.repeat(500)}…`);
});

test('wherever a journal was cut off, its whole lines are read', () => {
  const text = ['one', 'two', 'three'].map((event) => line(event)).join('');
  fc.assert(
    fc.property(fc.nat(text.length), (length) => {
      const whole = text.slice(0, length).split('\n').length - 1;
      const events = readJournal(text.slice(0, length)).map(
        ({ event }) => event,
      );
      expect(events.slice(0, whole)).toEqual(
        ['one', 'two', 'three'].slice(0, whole),
      );
      expect(events.length).toBeLessThanOrEqual(whole + 1);
    }),
  );
});
