/**
 * Everything that could make a text look different from what it is. This is stricter than sanitize.ts, and
 * includes all of it: the user approves commands by what is shown, and no hook waits for these Unicode classes.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** Writes every character that a terminal obeys or does not show as its code point, such as `<U+200B>`. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** Line by line behind a margin, so that no line of the text can pass for the output around it. */
export function escapeInvisibleLines(text: string, margin: string): string[] {
  return text
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => `${margin}│ ${escapeInvisible(line)}`);
}
