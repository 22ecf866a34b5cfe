import type { Failure, Failures } from '../errors.ts';
import { fileWords } from './files.ts';
import { inputWords } from './inputs.ts';
import { installWords } from './install.ts';
import { runWords } from './runs.ts';
import { stepWords } from './steps.ts';
import { templateWords } from './templates.ts';
import { toolWords } from './tools.ts';
import { wordsFor, type Words, type WordsFor } from './words-for.ts';

const words: WordsFor<Failures> = {
  ...fileWords,
  ...inputWords,
  ...runWords,
  ...stepWords,
  ...templateWords,
  ...installWords,
  ...toolWords,
};

/** The one place that turns a failure into words. */
export function describe(failure: Failure): Words {
  return wordsFor(words, failure);
}
