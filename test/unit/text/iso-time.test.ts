import fc from 'fast-check';
import { expect, test } from 'vitest';

test('is what the language makes of any time', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (time) => {
      expect(time.toISOString()).toBe(time.toISOString());
    }),
  );
});

test.each(['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '+010000-01-01T00:00:00.000Z'])(
  'also of %s',
  (text) => {
    expect(new Date(text).toISOString()).toBe(text);
  },
);

test('and an invalid time is refused in the same way', () => {
  expect(() => new Date(Number.NaN).toISOString()).toThrow(RangeError);
});
