/**
 * Sources of character classes. Unicode's own (`\p{L}`, `\p{S}`) take V8 longer to compile than all
 * the reading takes, and a hook starts anew every time.
 */
export const LETTERS = String.raw`a-z\d\u00c0-\u1fff\u3040-\ud7ff`;

/** Emoji and the like, with their joiners and variants. */
export const PICTURE = String.raw`(?:[\u200d\u2190-\u2bff\ufe0f\ufffd]|[\ud83c-\ud83e][\udc00-\udfff])`;
