import { expect, it } from 'vitest';
import { GROUPS } from '../../../../src/cli/program/groups.ts';
import { makeProgram } from '../../../../src/cli/program/program.ts';

const help = (columns = 80): string => {
  const program = makeProgram().configureOutput({ getOutHelpWidth: () => columns });
  return program.helpInformation();
};

it('the help begins with the five commands that matter, then the others by purpose', () => {
  const titles = help()
    .split('\n')
    .filter((line) => /^[A-Z][^\n]*:$/.test(line));
  expect(titles).toEqual([...GROUPS.map(({ title }) => title), 'Options:']);
  const first = help().split('Start here:\n')[1]?.split('\n\n')[0] ?? '';
  const names = [...first.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
  expect(names).toEqual(['init', 'start', 'status', 'advance', 'resume']);
});

it('every command has a group, and is listed once', () => {
  const program = makeProgram();
  const names = program
    .createHelp()
    .visibleCommands(program)
    .map((command) => command.name());
  const grouped = new Set(GROUPS.flatMap(({ commands }) => commands));
  expect(names.filter((name) => !grouped.has(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(help()).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
});

it.each([40, 60, 80, 120, 200])('the help fits into %d columns', (columns) => {
  const tooLong = help(columns)
    .split('\n')
    .filter((line) => line.length > columns);
  expect(tooLong).toEqual([]);
});
