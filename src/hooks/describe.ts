import { describeByCode, type Failure, type Failures } from '../errors/holdfast-error.ts';
import { fileMessages, type FileFailures } from '../errors/files.ts';
import { messageFor, type ErrorText } from '../errors/messages.ts';

/** Hooks mostly fail at file access; the texts of all other failures would only make the bundle larger. */
export function describe(failure: Failure): ErrorText {
  return isFileFailure(failure) ? messageFor(fileMessages, failure) : describeByCode(failure);
}

type FileFailure = {
  [Code in keyof FileFailures]: { code: Code } & FileFailures[Code];
}[keyof FileFailures & keyof Failures];

function isFileFailure(failure: Failure): failure is FileFailure {
  return Object.hasOwn(fileMessages, failure.code);
}
