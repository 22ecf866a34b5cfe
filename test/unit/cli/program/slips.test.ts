import { expect, it } from 'vitest';
import { suggestCommand } from '../../../../src/cli/program/slips.ts';

it.each([
  ['install', 'init'],
  ['finish', 'complete'],
  ['done', 'complete'],
  ['next', 'advance'],
  ['delete', 'cancel'],
])('suggests for %s the command %s, not what is spelt alike', (word, command) => {
  const error = `error: unknown command '${word}'\n(Did you mean uninstall?)\n`;
  expect(suggestCommand(error)).toBe(
    `error: unknown command '${word}'\n(Did you mean ${command}?)\n`,
  );
});

it.each([
  "error: unknown command 'statu'\n(Did you mean status?)\n",
  "error: unknown command 'constructor'\n",
  "error: unknown option '--next'\n",
])('leaves %j as it is', (error) => {
  expect(suggestCommand(error)).toBe(error);
});
