import { expect, it } from 'vitest';
import { makeProgram } from '../../../../src/cli/program/program.ts';
import { commandMeant } from '../../../../src/cli/program/slips.ts';

it.each([
  ['install', 'init'],
  ['finish', 'complete'],
  ['done', 'complete'],
  ['next', 'advance'],
  ['template', 'templates'],
  ['workflow', 'templates'],
  ['delete', 'cancel'],
  ['st', 'status'],
  ['version', '--version'],
])('%s means %s', (word, command) => {
  expect(commandMeant(word)).toBe(command);
});

it.each(['constructor', 'nonsense', ''])('%j means nothing', (word) => {
  expect(commandMeant(word)).toBeNull();
});

it('a slip is never the name of a command, and means one', () => {
  const names = makeProgram().commands.map((command) => command.name());
  const slips = ['install', 'setup', 'finish', 'end', 'continue', 'stop', 'back', 'log', 'ls'];
  expect(names.filter((name) => commandMeant(name) !== null)).toEqual([]);
  expect(names).toEqual(expect.arrayContaining(slips.map(commandMeant)));
});
