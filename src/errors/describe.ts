import type { Failure, Failures } from './holdfast-error.ts';
import { fileMessages } from './files.ts';
import { inputMessages } from './inputs.ts';
import { installMessages } from './install.ts';
import { runMessages } from './runs.ts';
import { serverMessages } from './server.ts';
import { stepMessages } from './steps.ts';
import { templateMessages } from './templates.ts';
import { todoMessages } from './todo.ts';
import { messageFor, type ErrorText, type Messages } from './messages.ts';

const messages: Messages<Failures> = {
  ...fileMessages,
  ...inputMessages,
  ...runMessages,
  ...serverMessages,
  ...stepMessages,
  ...templateMessages,
  ...installMessages,
  ...todoMessages,
  told: ({ text }) => text,
};

/** Turns a failure into sentences; nothing else does. */
export function describe(failure: Failure): ErrorText {
  return messageFor(messages, failure);
}
