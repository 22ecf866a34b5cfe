const MAX_CHARACTERS = 50;
/** Only the first characters of a name affect its slug. */
const MAX_INPUT = 1_000;

/** The name of a workflow as a folder name: `Feature (User Auth)` → `feature-user-auth`. */
export function slugOf(workflow: string): string {
  const name = workflow.slice(0, MAX_INPUT);
  // Most names are ASCII, and Unicode classes take a hook milliseconds to compile.
  const isAscii = /^[\x00-\x7f]*$/.test(name);
  const dashed = isAscii
    ? name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
    : spelled(name);
  const slug = Array.from(dashed.replace(/^-/, ''))
    .slice(0, MAX_CHARACTERS)
    .join('');
  return slug.replace(/-$/, '') || 'workflow';
}

const spelled = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFD')
    // Variation selectors and enclosing marks turn characters into emoji and are not letters.
    .replace(/[\uFE00-\uFE0F\u20D0-\u20FF]/g, '')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    // In many scripts, such as Hindi and Thai, combining marks are part of a word.
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-');

/** Detects changes of a text. 53 bits, not cryptographic: loading node:crypto would cost a hook a millisecond. */
export function digestOf(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high =
    Math.imul(high ^ (high >>> 16), 2246822507) ^
    Math.imul(low ^ (low >>> 13), 3266489909);
  low =
    Math.imul(low ^ (low >>> 16), 2246822507) ^
    Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0))
    .toString(16)
    .padStart(14, '0');
}
