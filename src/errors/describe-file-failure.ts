import { describeByCode, type Failure, type Failures } from './holdfast-error.ts';
import { fileSentences, type FileFailures } from './files.ts';

/** For the log of hooks, which mostly fail at file access: the sentences of all other failures are not bundled there. */
export function describeFileFailure(failure: Failure): string {
  return isFileFailure(failure) ? sentenceOf(failure) : describeByCode(failure).message;
}

function sentenceOf<Code extends keyof FileFailures>(
  failure: { code: Code } & FileFailures[Code],
): string {
  return fileSentences[failure.code](failure);
}

type FileFailure = {
  [Code in keyof FileFailures]: { code: Code } & FileFailures[Code];
}[keyof FileFailures & keyof Failures];

function isFileFailure(failure: Failure): failure is FileFailure {
  return Object.hasOwn(fileSentences, failure.code);
}
