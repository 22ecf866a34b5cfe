const MAX_CHARACTERS = 50;
/** Only the first characters of a name affect its slug. */
const MAX_INPUT = 1_000;

/** The name of a workflow as a folder name: `Feature (User Auth)` → `feature-user-auth`. */
export function slugOf(workflow: string): string {
  const name = workflow.slice(0, MAX_INPUT);
  // Most names are ASCII, and Unicode classes take a hook milliseconds to compile.
  const isAscii = /^[\x00-\x7f]*$/.test(name);
  return cut(isAscii ? name.toLowerCase().replace(/[^a-z0-9]+/g, '-') : spelled(name));
}

function spelled(name: string): string {
  return (
    name
      .toLowerCase()
      .normalize('NFD')
      // Variation selectors and enclosing marks turn characters into emoji and are not letters.
      .replace(/[\uFE00-\uFE0F\u20D0-\u20FF]/g, '')
      .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
      .normalize('NFC')
      // In many scripts, such as Hindi and Thai, combining marks are part of a word.
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  );
}

function cut(dashed: string): string {
  const name = dashed.replace(/^-/, '');
  const short =
    name.length > MAX_CHARACTERS ? Array.from(name).slice(0, MAX_CHARACTERS).join('') : name;
  const slug = short.replace(/-$/, '');
  return slug === '' ? 'workflow' : slug;
}
