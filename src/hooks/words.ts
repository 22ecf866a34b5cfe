import { withoutSentences, type Failure, type Failures } from '../errors.ts';
import { fileWords, type FileFailures } from '../failures/files.ts';
import { wordsFor, type Words } from '../failures/words-for.ts';

/** What can go wrong in a hook lies in the files; the rest is told by its code. */
export function describe(failure: Failure): Words {
  return isOfFiles(failure) ? wordsFor(fileWords, failure) : withoutSentences(failure);
}

type FileFailure = {
  [Code in keyof FileFailures]: { code: Code } & FileFailures[Code];
}[keyof FileFailures & keyof Failures];

function isOfFiles(failure: Failure): failure is FileFailure {
  return Object.hasOwn(fileWords, failure.code);
}
