import { expect, test } from 'vitest';
import { contextActionText, requestText } from '../../../src/guidance/context-action-text.ts';

test.each([
  ['/compact', 'a compacted context'],
  ['/clear', 'a cleared context'],
] as const)('a request for %s says what to type, why, and who can', (command, why) => {
  expect(requestText(command)).toBe(
    `Please run \`${command}\` first: this step begins with ${why}. Only the user can type it.`,
  );
});

test.each([
  ['due', '/clear is due before this step begins'],
  ['requested', '/clear was asked for; it has not happened yet'],
  ['performed', '/clear was done before this step.'],
] as const)('describes an action that is %s', (state, words) => {
  expect(contextActionText({ command: '/clear', state })).toContain(words);
});
