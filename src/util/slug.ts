const MAX_CHARACTERS = 50;
/** Of a name of megabytes the rest decides nothing. */
const LOOKED_AT = 1_000;

/** The name of a workflow as a folder name: `Feature (User Auth)` → `feature-user-auth`. */
export function slugOf(workflow: string): string {
  const name = workflow.slice(0, LOOKED_AT);
  return cut(isAscii(name) ? name.toLowerCase().replace(/[^a-z0-9]+/g, '-') : spelled(name));
}

/** Most names are plain, and Unicode classes take a hook milliseconds to prepare. */
function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text);
}

function spelled(name: string): string {
  return (
    name
      .toLowerCase()
      .normalize('NFD')
      // Selectors and frames that make pictures of characters are no letters.
      .replace(/[\uFE00-\uFE0F\u20D0-\u20FF]/g, '')
      .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
      .normalize('NFC')
      // Combining marks are parts of words in many scripts: without them Hindi or Thai would fall to pieces.
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
  );
}

function cut(dashed: string): string {
  const slug = Array.from(dashed.replace(/^-/, ''))
    .slice(0, MAX_CHARACTERS)
    .join('')
    .replace(/-$/, '');
  return slug === '' ? 'workflow' : slug;
}
