const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/** A text with nothing hidden in it: what a terminal would not show, or obey, is written out. */
export function escapeInvisible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

/** Line by line, with a margin that no line of the text can imitate the place of. */
export function escapeInvisibleLines(text: string, margin: string): string[] {
  return text
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => `${margin}│ ${escapeInvisible(line)}`);
}
