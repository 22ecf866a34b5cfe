/**
 * Characters for values that were never anybody's secret. They are made at run time, so that this repository holds no text
 * that a hosting provider takes for a leak. A seed of its own makes each value another one.
 */
function characters(alphabet: string, length: number, seed: number): string {
  let state = seed * 7919 + length;
  let text = '';
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    // The low bits of this generator repeat soon.
    text += alphabet[Math.floor(state / 65_536) % alphabet.length];
  }
  return text;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';

export const hex = (length: number, seed = 1): string =>
  characters(`${DIGITS}abcdef`, length, seed);
export const digits = (length: number, seed = 1): string =>
  characters(DIGITS, length, seed);
export const letters = (length: number, seed = 1): string =>
  characters(LOWER, length, seed);
export const capitals = (length: number, seed = 1): string =>
  characters(`${UPPER}${DIGITS}`, length, seed);
export const lower = (length: number, seed = 1): string =>
  characters(`${LOWER}${DIGITS}`, length, seed);
export const base32 = (length: number, seed = 1): string =>
  characters(`${UPPER}234567`, length, seed);
export const mixed = (length: number, seed = 1): string =>
  characters(`${UPPER}${LOWER}${DIGITS}`, length, seed);
export const base64 = (length: number, seed = 1): string =>
  characters(`${UPPER}${LOWER}${DIGITS}+/`, length, seed);
export const uuid = (seed = 1): string =>
  [8, 4, 4, 4, 12].map((length, at) => hex(length, seed + at)).join('-');
