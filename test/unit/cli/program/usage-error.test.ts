import { expect, it } from 'vitest';
import { makeProgram } from '../../../../src/cli/program/program.ts';
import { usageError } from '../../../../src/cli/program/usage-error.ts';

const said = (complaint: string, ...words: string[]) =>
  usageError(complaint, makeProgram(), ['node', 'holdfast', ...words]);

it('a slip is answered with the command that is meant, not with what is spelt alike', () => {
  expect(said("error: unknown command 'install'\n(Did you mean uninstall?)\n", 'install')).toEqual({
    message: "unknown command 'install'",
    hint: 'did you mean `holdfast init`? `holdfast --help` lists the commands',
  });
});

it('a misspelt command is answered with the one that is spelt alike', () => {
  expect(said("error: unknown command 'statsu'\n(Did you mean status?)", 'statsu').hint).toContain(
    'did you mean `holdfast status`?',
  );
});

it('of several that are spelt alike, each is a command', () => {
  const complaint = "error: unknown command 'foo'\n(Did you mean one of hook, todo?)";
  expect(said(complaint, 'foo').hint).toContain('did you mean `holdfast hook` or `holdfast todo`?');
});

it('an unknown command without any likeness leads to the list', () => {
  expect(said("error: unknown command 'frobnicate'", 'frobnicate').hint).toBe(
    '`holdfast --help` lists the commands',
  );
});

it('a wrong option leads to the help of its command, also below another one', () => {
  const words = ['--cwd', '/x', 'templates', 'show', 'feature', '--mermiad'];
  const complaint = "error: unknown option '--mermiad'\n(Did you mean --mermaid?)";
  expect(said(complaint, ...words)).toEqual({
    message: "unknown option '--mermiad'",
    hint: 'did you mean --mermaid? `holdfast templates show --help` shows how to use it, with examples',
  });
});

it('two sentences of the parser become one', () => {
  const complaint =
    "error: option '--scope <scope>' argument 'x' is invalid. Allowed choices are local, user.";
  expect(said(complaint, 'init').message).toBe(
    "option '--scope <scope>' argument 'x' is invalid: allowed choices are local, user",
  );
});

it('help for an unknown command is an error like any other', () => {
  expect(said('(outputHelp)', 'help', 'finish')).toEqual({
    message: "unknown command 'finish'",
    hint: 'did you mean `holdfast complete`? `holdfast --help` lists the commands',
  });
});
