/**
 * Character classes for regular expressions. V8 takes longer to compile `\p{L}` and `\p{S}` than to parse the files,
 * and every hook call is a new process.
 */
export const LETTERS = String.raw`a-z\d\u00c0-\u1fff\u3040-\ud7ff`;

/** Emoji and symbols, with joiners and variation selectors. */
export const PICTURE = String.raw`(?:[\u200d\u2190-\u2bff\ufe0f\ufffd]|[\ud83c-\ud83e][\udc00-\udfff])`;
