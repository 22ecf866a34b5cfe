import type { DriverFailures } from './driver.ts';
import type { FileFailures } from './files.ts';
import type { InputFailures } from './inputs.ts';
import type { InstallFailures } from './install.ts';
import type { RemoteFailures } from './remote.ts';
import type { RunFailures } from './runs.ts';
import type { ServerFailures } from './server.ts';
import type { StepFailures } from './steps.ts';
import type { TemplateFailures } from './templates.ts';
import type { TodoFailures } from './todo.ts';
import type { ToolFailures } from './tools.ts';
import type { ErrorText } from './messages.ts';

export interface Failures
  extends
    DriverFailures,
    FileFailures,
    InputFailures,
    RunFailures,
    ServerFailures,
    StepFailures,
    TemplateFailures,
    InstallFailures,
    RemoteFailures,
    TodoFailures,
    ToolFailures {}

/** What went wrong, as data. */
export type Failure = { [Code in keyof Failures]: { code: Code } & Failures[Code] }[keyof Failures];

/** Carries data only: call `describe(error.failure)` to print it. Its message is for stack traces. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError';
  readonly code: Failure['code'];

  constructor(readonly failure: Failure) {
    super(describeByCode(failure).message);
    this.code = failure.code;
  }
}

/** The code and the fields, for stack traces and for callers that do not load the sentences. */
export function describeByCode({ code, ...fields }: Failure): ErrorText {
  const parts = Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return { message: [code, ...parts].join(', '), hint: '' };
}
