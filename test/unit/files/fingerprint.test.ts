import { statSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { fingerprintFrom } from '../../../src/files/read-file.ts';
import { makeProject } from '../../support/project.ts';

const NOW = Date.UTC(2026, 0, 1, 12);

/** Of a file with these times, which `touch` can set apart. */
function fingerprint(modified: number, changed = modified): string | null {
  vi.stubEnv('HOLDFAST_NOW', new Date(NOW).toISOString());
  const { at } = makeProject({ 'a.md': 'text' });
  const stat = statSync(at('a.md'));
  return fingerprintFrom(Object.assign(stat, { ino: 1, mtimeMs: modified, ctimeMs: changed }));
}

describe('a fingerprint', () => {
  it('is there once another write would get another time', () => {
    expect(fingerprint(NOW - 2_001)).toBeTypeOf('string');
    expect(fingerprint(NOW - 1_999)).toBeNull();
    expect(fingerprint(NOW + 1_999)).toBeNull();
    expect(fingerprint(NOW - 9_000, NOW - 1_999)).toBeNull();
  });

  it('differs after a write of the same size, also one that set the time back', () => {
    const before = fingerprint(NOW - 9_000);
    expect(fingerprint(NOW - 9_000)).toBe(before);
    expect(fingerprint(NOW - 8_000)).not.toBe(before);
    expect(fingerprint(NOW - 9_000, NOW - 8_000)).not.toBe(before);
  });

  it('is not there for what is no file', () => {
    expect(fingerprintFrom(statSync(makeProject().root))).toBeNull();
  });
});
