import { expect, test } from 'vitest';
import {
  escapeInvisible,
  fenced,
  sanitizeLine,
} from '../../../src/text/sanitize.ts';
import { escapeJson } from '../../../src/text/json.ts';

const ALL = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));
const removedFromLine = ALL.filter(
  (character) => sanitizeLine(`a${character}b`) === 'a b',
).filter((character) => character !== ' ');

test('a character that is removed from a line is removed from a fenced text, except tab and line end', () => {
  const kept = removedFromLine.filter((character) =>
    fenced(`a${character}b`).includes(character),
  );
  expect(kept).toEqual(['\t', '\n']);
});

test('a character that is removed from a line is escaped in JSON', () => {
  const kept = removedFromLine.filter((character) =>
    escapeJson(`a${character}b`).includes(character),
  );
  expect(kept).toEqual([]);
});

test('a character that is removed from a line is shown by its code point for approval', () => {
  const kept = removedFromLine.filter(
    (character) => !escapeInvisible(`a${character}b`).includes('<U+'),
  );
  expect(kept).toEqual([]);
});
