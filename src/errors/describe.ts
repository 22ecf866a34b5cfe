import type { Failure, Failures } from './holdfast-error.ts';
import { driverMessages } from './driver.ts';
import { fileMessages } from './files.ts';
import { inputMessages } from './inputs.ts';
import { installMessages } from './install.ts';
import { runMessages } from './runs.ts';
import { stepMessages } from './steps.ts';
import { templateMessages } from './templates.ts';
import { todoMessages } from './todo.ts';
import { messageFor, type ErrorText, type Messages } from './messages.ts';

const messages: Messages<Failures> = {
  ...driverMessages,
  ...fileMessages,
  ...inputMessages,
  ...runMessages,
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
