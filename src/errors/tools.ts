import { describeExpected, type Expected } from './expected.ts';
import type { Messages } from './messages.ts';

export interface ToolFailures {
  unknown_tool: { given: string; tools: string[] };
  unknown_argument: { tool: string; given: string; known: string[] };
  bad_argument: { tool: string; argument: string; expected: Expected };
}

export const toolMessages: Messages<ToolFailures> = {
  unknown_tool: (failure) => ({
    message: `there is no tool "${failure.given}"`,
    hint: `available: ${failure.tools.join(', ')}`,
  }),
  unknown_argument: (failure) => ({
    message: `unknown argument "${failure.given}" for ${failure.tool}`,
    hint:
      failure.known.length === 0
        ? 'this tool takes no arguments'
        : `available: ${failure.known.join(', ')}`,
  }),
  bad_argument: (failure) => ({
    message: `${failure.argument} of ${failure.tool} must be ${describeExpected(failure.expected)}`,
    hint: 'nothing was changed; correct it and call the tool again',
  }),
};
