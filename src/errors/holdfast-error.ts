import type { FileFailures } from './files.ts';
import type { InputFailures } from './inputs.ts';
import type { InstallFailures } from './install.ts';
import type { RunFailures } from './runs.ts';
import type { ServerFailures } from './server.ts';
import type { StepFailures } from './steps.ts';
import type { TemplateFailures } from './templates.ts';
import type { TodoFailures } from './todo.ts';
import type { ErrorText } from './messages.ts';

export interface Failures
  extends
    FileFailures,
    InputFailures,
    RunFailures,
    ServerFailures,
    StepFailures,
    TemplateFailures,
    InstallFailures,
    TodoFailures {
  /** A failure that was thrown with its sentences; `as` is its code for programs. */
  told: { as: string; text: ErrorText; toolHint?: string };
}

/** What went wrong, as data. */
export type Failure = { [Code in keyof Failures]: { code: Code } & Failures[Code] }[keyof Failures];

interface Advice extends Omit<ErrorText, 'message'> {
  /** What to do next for an agent that has tools rather than a command line, if that differs. */
  toolHint?: string;
}

/**
 * A failure that the user can do something about: a code for programs and a sentence for people, written where the reason
 * is known. Failures that are data have their sentences in `describe(error.failure)`.
 */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly failure: Failure;
  readonly code: string;

  constructor(failure: Failure);
  constructor(code: string, message: string, advice: Advice);
  constructor(first: Failure | string, message = '', advice: Advice = { hint: '' }) {
    const failure = typeof first === 'string' ? told(first, message, advice) : first;
    super(describeByCode(failure).message);
    this.failure = failure;
    this.code = codeOf(failure);
  }
}

/** For programs. */
function codeOf(failure: Failure): string {
  return failure.code === 'told' ? failure.as : failure.code;
}

function told(as: string, message: string, { toolHint, ...text }: Advice): Failure {
  return {
    code: 'told',
    as,
    text: { message, ...text },
    ...(toolHint === undefined ? {} : { toolHint }),
  };
}

/** The code and the fields, for stack traces and for callers that do not load the sentences. */
export function describeByCode(failure: Failure): ErrorText {
  if (failure.code === 'told') return failure.text;
  const { code, ...fields } = failure;
  const parts = Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return { message: [code, ...parts].join(', '), hint: '' };
}
