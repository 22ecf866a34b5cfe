import { Help, type Command } from 'commander';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeProgram } from '../../../src/cli/program.ts';
import { nameOf } from '../../../src/commands/command.ts';
import { GROUPS } from '../../../src/commands/table.ts';

type Example = { command: string; typed: string };

const examples = everyCommand(makeProgram()).flatMap(([path, command]) =>
  examplesOf(command).map((typed): Example => ({ command: path, typed })),
);

function everyCommand(
  program: Command,
  above = '',
): [path: string, command: Command][] {
  return program.commands.flatMap((command) => {
    const path = `${above}${command.name()}`;
    return [[path, command], ...everyCommand(command, `${path} `)];
  });
}

function examplesOf(command: Command): string[] {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  const [, shown = ''] = help.split(/^Examples?:\n/m);
  return [...shown.matchAll(/^ {2}\$ (.+)$/gm)].map(([, typed = '']) => typed);
}

/** The arguments of each call of holdfast in a line for a shell. */
function callsIn(typed: string): string[][] {
  const tokens =
    typed.match(/"[^"]*"|'[^']*'|[|;&<>()]|[^\s"'|;&<>()]+/g) ?? [];
  const calls: string[][] = [];
  let isCall = false;
  for (const token of tokens) {
    if (token === 'holdfast') calls.push([]);
    else if (isCall && !/^[|;&<>()]$/.test(token))
      calls.at(-1)?.push(token.replaceAll(/["']/g, ''));
    isCall = token === 'holdfast' || (isCall && !/^[|;&<>()]$/.test(token));
  }
  return calls;
}

it.each(examples)(
  'the example in the help of $command is a call that there is: $typed',
  (example) => {
    const calls = callsIn(example.typed);
    expect(calls).not.toEqual([]);
    for (const words of calls) {
      const program = makeProgram();
      const called: string[] = [];
      for (const [path, command] of everyCommand(program))
        command.action(() => void called.push(path));
      program.parse(words, { from: 'user' });
      expect(called, words.join(' ')).toHaveLength(1);
    }
  },
);

it('every command that the help lists has an example', () => {
  const program = makeProgram();
  const listed = new Help().visibleCommands(program);
  const nested = listed.flatMap((command) =>
    everyCommand(command, `${command.name()} `),
  );
  const paths = [
    ...listed.map((command) => command.name()),
    ...nested.map(([path]) => path),
  ];
  const without = paths.filter(
    (path) => !examples.some(({ command }) => command === path),
  );
  expect(without).toEqual(['help']);
});

it('docs/reference/commands.md has every command of the help', () => {
  const page = readFileSync('docs/reference/commands.md', 'utf8');
  const names = GROUPS.flatMap(({ commands }) => commands.map(nameOf));
  expect(
    names.filter(
      (name) => !new RegExp(`^(?:###|-) .${name}[ \`]`, 'm').test(page),
    ),
  ).toEqual([]);
});

it.each([40, 60, 80, 120, 200])('the help fits into %d columns', (columns) => {
  const program = makeProgram().configureOutput({
    getOutHelpWidth: () => columns,
  });
  const lines = program.helpInformation().split('\n');
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
});
