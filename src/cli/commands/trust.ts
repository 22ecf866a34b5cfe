import { createInterface } from 'node:readline/promises';
import { resolve } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { describeTrustProblem } from '../../errors/templates.ts';
import { findTemplate, type FoundTemplate } from '../../workflow/template/find-template.ts';
import { gatesOf, type Gate } from '../../workflow/machine/gates.ts';
import { isTrusted, readTrust, trust as remember } from '../../workflow/gates/trust.ts';
import { requireOutsideProject } from '../../workflow/gates/trust-file.ts';
import type { CommandContext } from '../context.ts';
import { print } from '../output/output.ts';
import { templateOfRun } from '../template-of-run.ts';
import { escapeInvisible, escapeInvisibleLines } from '../../util/escape-invisible.ts';

/** Shows what a template would run and, after a yes of the user's, lets this exact content run it. */
export async function trust(
  cli: CommandContext,
  given: string,
  options: { yes?: boolean },
): Promise<void> {
  const found = templateOfRun(cli, given) ?? findTemplate(cli.root, cli.cwd, given);
  const { template, file, origin } = found;
  const gates = gatesOf(template);
  const facts = { template: template.name, file, gates };
  const name = escapeInvisible(template.name);
  if (gates.length === 0) {
    cli.output.result({ ...facts, trusted: false }, `${name} has no gates: it needs no trust.`);
    return;
  }
  if (isAgents(cli)) {
    throw new HoldfastError({ code: 'trust_from_agent', template: template.name });
  }
  requireOutsideProject(cli);
  const { problem } = readTrust(cli);
  if (problem !== null) cli.output.warn(describeTrustProblem(problem));
  if (isTrusted(cli, template)) {
    cli.output.result({ ...facts, trusted: true }, `${name} is trusted already, as it is now.`);
    return;
  }
  print(2, describe(found, gates));
  if (options.yes !== true) await confirm(template.name);
  const place = origin === 'built-in' ? file : resolve(cli.root, file);
  const { hash } = remember(cli, template, place, cli.now);
  cli.output.result(
    { ...facts, trusted: true, hash },
    `${name} is trusted as it is now; any change to it has to be trusted again.`,
  );
}

/** Whatever session the command was told to act for: the environment says who runs it. */
function isAgents({ session, environment }: CommandContext): boolean {
  const { CLAUDECODE = '', CLAUDE_CODE_SESSION_ID = '' } = environment;
  return session !== null || CLAUDECODE !== '' || CLAUDE_CODE_SESSION_ID !== '';
}

function describe({ template, file }: FoundTemplate, gates: Gate[]): string {
  const lines = gates.flatMap(({ where, command }) => [
    `  ${escapeInvisible(where)}`,
    ...escapeInvisibleLines(command, '    '),
  ]);
  return [
    `${escapeInvisible(template.name)} (${escapeInvisible(file)}) runs these commands in the project's root:`,
    ...lines,
  ].join('\n');
}

async function confirm(template: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new HoldfastError({ code: 'trust_unconfirmed', template, answered: false });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<string>((settle) => {
    // Ctrl-C and Ctrl-D are answers too.
    terminal.once('close', () => settle(''));
    void terminal.question('Let this template run them? [y/N] ').then(settle, () => settle(''));
  });
  terminal.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) {
    throw new HoldfastError({ code: 'trust_unconfirmed', template, answered: true });
  }
}
