import type { FileFailures } from './files.ts';
import type { InputFailures } from './inputs.ts';
import type { InstallFailures } from './install.ts';
import type { RunFailures } from './runs.ts';
import type { StepFailures } from './steps.ts';
import type { TemplateFailures } from './templates.ts';
import type { ToolFailures } from './tools.ts';
import type { ErrorText } from './messages.ts';

export interface Failures
  extends
    FileFailures,
    InputFailures,
    RunFailures,
    StepFailures,
    TemplateFailures,
    InstallFailures,
    ToolFailures {}

/** What went wrong, as data. */
export type Failure = { [Code in keyof Failures]: { code: Code } & Failures[Code] }[keyof Failures];

type Describe = (failure: Failure) => ErrorText;

let describe: Describe = describeByCode;

/** Whoever talks to people brings the sentences along; a hook loads only those that it may need. */
export function setDescribe(words: Describe): void {
  describe = words;
}

export class HoldfastError extends Error {
  readonly code: Failure['code'];
  readonly hint: string;

  /** `data` is printed beside the error with --json; `details`, in as many lines as it has, below the sentence. */
  constructor(
    readonly failure: Failure,
    readonly data: object = {},
    readonly details = '',
  ) {
    const { message, hint } = describe(failure);
    super(message);
    this.name = 'HoldfastError';
    this.code = failure.code;
    this.hint = hint;
  }
}

export function describeByCode({ code, ...fields }: Failure): ErrorText {
  const told = Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return { message: [code, ...told].join(', '), hint: '' };
}
