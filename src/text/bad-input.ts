import { HoldfastError } from './holdfast-error.ts';

/** An option or argument whose value cannot be used. `expected` ends a sentence: "expected …". */
export function badValue(option: string, given: unknown, expected: string): HoldfastError {
  const message =
    given === '' ? `${option} is blank` : `invalid value "${String(given)}" for ${option}`;
  return new HoldfastError('bad_value', message, { hint: `expected ${expected}` });
}

export function tooLong(
  option: string,
  given: string,
  max: number,
  instead: string,
): HoldfastError {
  return new HoldfastError(
    'bad_value',
    `invalid value of ${given.length} characters for ${option}`,
    { hint: `expected at most ${max} characters; put the text into a file and ${instead}` },
  );
}

export function notText(path: string): HoldfastError {
  return new HoldfastError('not_text', `${path} is not UTF-8 text`, {
    hint: 'save it as UTF-8, then try again; nothing was changed',
  });
}

/** A file or standard input that cannot be read. */
export function unreadableInput(
  what: string,
  why: string,
  hint = 'check the path and its permissions',
): HoldfastError {
  return new HoldfastError('unreadable_input', `cannot read ${what}: ${why}`, { hint });
}
