import { digestOf } from '../../io/digest.ts';

const SEAL = /^x-holdfast: \S+\n/m;

/** A file of ours, sealed in its front matter, which no model reads: so we know it again, and whether it was changed. */
export function sign(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  return [first, `x-holdfast: ${digestOf(text)}`, ...rest].join('\n');
}

/** Ours, of whatever version, and as it was written. */
export function isUnmodified(text: string): boolean {
  const plain = text.replaceAll('\r\n', '\n');
  return SEAL.test(plain) && sign(plain.replace(SEAL, '')) === plain;
}

/** Ours in the beginning, whatever was made of it. */
export function isSigned(text: string): boolean {
  return SEAL.test(text.replaceAll('\r\n', '\n'));
}
