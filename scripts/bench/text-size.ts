export interface Size {
  characters: number;
  tokens: number;
}

/** Estimated tokens: 4 ASCII characters each, any other character 1. Close for prose and code, high for other scripts. */
export function sizeOf(text: string): Size {
  const others = Array.from(text.matchAll(/[^\0-\x7F]/gu));
  const ascii =
    text.length -
    others.reduce((sum, [character]) => sum + character.length, 0);
  return {
    characters: text.length,
    tokens: Math.ceil(ascii / 4) + others.length,
  };
}
