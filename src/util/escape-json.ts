/** What a terminal obeys or does not show, and JSON leaves as it is. */
const HIDDEN =
  /[\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF0-\uFFFB]|[\uDB40-\uDB43][\uDC00-\uDFFF]/g;

/** As JSON in which nothing is hidden: written as escapes, it still means the same. */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(HIDDEN, escapes);
}

function escapes(hidden: string): string {
  return Array.from({ length: hidden.length }, (_, index) => {
    const code = hidden.charCodeAt(index).toString(16);
    return `\\u${code.padStart(4, '0')}`;
  }).join('');
}
