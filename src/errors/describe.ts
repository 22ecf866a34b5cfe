import type { Failure, Failures } from './holdfast-error.ts';
import { fileMessages } from './files.ts';
import { inputMessages } from './inputs.ts';
import { installMessages } from './install.ts';
import { runMessages } from './runs.ts';
import { stepMessages } from './steps.ts';
import { templateMessages } from './templates.ts';
import { toolMessages } from './tools.ts';
import { messageFor, type ErrorText, type Messages } from './messages.ts';

const words: Messages<Failures> = {
  ...fileMessages,
  ...inputMessages,
  ...runMessages,
  ...stepMessages,
  ...templateMessages,
  ...installMessages,
  ...toolMessages,
};

/** The one place that turns a failure into words. */
export function describe(failure: Failure): ErrorText {
  return messageFor(words, failure);
}
