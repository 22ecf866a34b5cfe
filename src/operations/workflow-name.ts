export const MAX_NAME = 200;

/** The name of a workflow, on one line; null where what was given is none. */
export function nameFrom(given: string): string | null {
  const name = given.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return name === '' || name.length > MAX_NAME ? null : name;
}
