import { describeByCode, type Failure, type Failures } from './holdfast-error.ts';
import { fileMessages, type FileFailures } from './files.ts';
import { messageFor, type ErrorText } from './messages.ts';

/** For the log of hooks, which mostly fail at file access: the sentences of all other failures are not bundled there. */
export function describeFileFailure(failure: Failure): ErrorText {
  return isFileFailure(failure) ? messageFor(fileMessages, failure) : describeByCode(failure);
}

type FileFailure = {
  [Code in keyof FileFailures]: { code: Code } & FileFailures[Code];
}[keyof FileFailures & keyof Failures];

function isFileFailure(failure: Failure): failure is FileFailure {
  return Object.hasOwn(fileMessages, failure.code);
}
