import type { FileFailures } from './failures/files.ts';
import type { InputFailures } from './failures/inputs.ts';
import type { InstallFailures } from './failures/install.ts';
import type { RunFailures } from './failures/runs.ts';
import type { StepFailures } from './failures/steps.ts';
import type { TemplateFailures } from './failures/templates.ts';
import type { ToolFailures } from './failures/tools.ts';
import type { Words } from './failures/words-for.ts';

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

type Describe = (failure: Failure) => Words;

let describe: Describe = withoutSentences;

/** Whoever talks to people brings the sentences along; a hook loads only those that it may need. */
export function speakWith(words: Describe): void {
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

export function withoutSentences({ code, ...fields }: Failure): Words {
  const told = Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return { message: [code, ...told].join(', '), hint: '' };
}
