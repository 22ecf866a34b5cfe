import type { Messages } from './messages.ts';

export interface ToolFailures {
  unknown_tool: { given: string; tools: string[] };
  unknown_argument: { tool: string; given: string; known: string[] };
  bad_argument: { tool: string; argument: string; expected: string };
}

export const toolMessages: Messages<ToolFailures> = {
  unknown_tool: (failure) => ({
    message: `there is no tool "${failure.given}"`,
    hint: `there are: ${failure.tools.join(', ')}`,
  }),
  unknown_argument: (failure) => ({
    message: `${failure.tool} knows no "${failure.given}"`,
    hint: failure.known.length === 0 ? 'it takes nothing' : `it takes ${failure.known.join(', ')}`,
  }),
  bad_argument: (failure) => ({
    message: `${failure.argument} of ${failure.tool} must be ${failure.expected}`,
    hint: 'nothing was done; correct it and call again',
  }),
};
