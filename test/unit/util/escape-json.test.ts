import { expect, test } from 'vitest';
import { escapeJson } from '../../../src/util/escape-json.ts';

test.each([
  ['control characters', '\u0000\u001B[2J\u0007\r\n\u007F\u0085\u009B2J'],
  ['text from right to left', '\u202Egpj.exe\u202C \u2066x\u2069 \u200E\u200F\u061C'],
  ['what has no width', '\u200B\u2060\uFEFF\u00AD\u180E\u{E0041}\u{E0100}'],
  ['separators of lines', '\u2028\u2029'],
])('%s are shown as escapes, and parse to the same text', (_, text) => {
  const value = { [text]: [text, { deep: `a${text}b` }] };
  const json = escapeJson(value);
  expect(json).toMatch(/^[\n\x20-\x7E]*$/);
  expect(JSON.parse(json)).toEqual(value);
});

test('letters and pictures of any script stay as they are', () => {
  const text = 'Größe 日本語 हिन्दी עברית 👩‍💻 ✅️';
  expect(escapeJson({ text })).toBe(`{\n  "text": "${text}"\n}`);
});
