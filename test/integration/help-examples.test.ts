import { Help, type Command } from 'commander';
import { expect, it } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';
import { callBothWays } from '../support/both-ways.ts';
import { sandbox } from '../support/cli.ts';

interface Example {
  command: string;
  typed: string;
}

const examples = everyCommand(makeProgram()).flatMap(([path, command]) =>
  examplesOf(command).map((typed): Example => ({ command: path, typed })),
);

function everyCommand(program: Command, above = ''): [path: string, command: Command][] {
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
  const tokens = typed.match(/"[^"]*"|'[^']*'|[|;&<>()]|[^\s"'|;&<>()]+/g) ?? [];
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
  const nested = listed.flatMap((command) => everyCommand(command, `${command.name()} `));
  const paths = [...listed.map((command) => command.name()), ...nested.map(([path]) => path)];
  const without = paths.filter((path) => !examples.some(({ command }) => command === path));
  expect(without).toEqual(['help']);
});

it('the resident process, in which most tests run commands, stands for the program', () => {
  const box = sandbox();
  for (const words of [['start', 'Shop', '--phases', 'A,B'], ['init'], ['advance'], ['list']]) {
    const { own, resident } = callBothWays(box, words);
    expect(resident).toEqual(own);
  }
});
