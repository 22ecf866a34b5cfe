import { describe, expect, test } from 'vitest';
import { isNewer } from '../../../src/install/runtime.ts';

describe('a version is newer', () => {
  test.each([
    ['0.2.0', '0.1.9'],
    ['0.10.0', '0.9.0'],
    ['1.0.0', '0.99.99'],
    ['1.0.0', '1.0.0-beta.1'],
    ['1.0.0-beta.10', '1.0.0-beta.9'],
    ['1.0.0-rc.1', '1.0.0-beta.2'],
    ['1.0.1-beta.1', '1.0.0'],
    ['0.1.0', 'who knows'],
  ])('%s than "%s"', (version, other) => {
    expect(isNewer(version, other)).toBe(true);
    expect(isNewer(other, version)).toBe(false);
  });

  test.each([['0.1.0'], ['1.0.0-beta.1'], ['']])('and none than itself: "%s"', (version) => {
    expect(isNewer(version, version)).toBe(false);
  });
});
