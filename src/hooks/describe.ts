import { describeByCode, type Failure, type Failures } from '../errors/holdfast-error.ts';
import { fileMessages, type FileFailures } from '../errors/files.ts';
import { messageFor, type ErrorText } from '../errors/messages.ts';

/** What can go wrong in a hook lies in the files; the rest is told by its code. */
export function describe(failure: Failure): ErrorText {
  return isOfFiles(failure) ? messageFor(fileMessages, failure) : describeByCode(failure);
}

type FileFailure = {
  [Code in keyof FileFailures]: { code: Code } & FileFailures[Code];
}[keyof FileFailures & keyof Failures];

function isOfFiles(failure: Failure): failure is FileFailure {
  return Object.hasOwn(fileMessages, failure.code);
}
