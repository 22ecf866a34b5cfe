import { createInterface } from 'node:readline/promises';
import { resolve } from 'node:path';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { describeTrustProblem } from '../../errors/templates.ts';
import { findTemplate, type FoundTemplate } from '../../workflow/template/find-template.ts';
import { gatesOf, type Gate } from '../../workflow/machine/gates.ts';
import { isTrusted, readTrust, trust as remember } from '../../workflow/gates/trust.ts';
import { requireOutsideProject } from '../../workflow/gates/trust-file.ts';
import { isRunByAgent } from '../../operations/require-person.ts';
import type { CommandContext } from '../context.ts';
import { print } from '../output/output.ts';
import { templateOfRun } from '../template-of-run.ts';
import { escapeInvisible, escapeInvisibleLines } from '../../util/escape-invisible.ts';

/** Shows the commands of a template and, after the user confirms, lets this exact content run them. */
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
    cli.output.result(
      { ...facts, trusted: false },
      `${name} has no gates, so it does not need to be trusted.`,
    );
    return;
  }
  if (isRunByAgent(cli)) {
    throw new HoldfastError({ code: 'trust_from_agent', template: template.name });
  }
  requireOutsideProject(cli);
  const { problem } = readTrust(cli);
  if (problem !== null) cli.output.warn(describeTrustProblem(problem));
  if (isTrusted(cli, template)) {
    cli.output.result({ ...facts, trusted: true }, `${name} is already trusted with this content.`);
    return;
  }
  print(2, gatesText(found, gates));
  if (options.yes !== true) await confirm(template.name);
  const place = origin === 'built-in' ? file : resolve(cli.root, file);
  const { hash } = remember(cli, template, place, cli.now);
  cli.output.result(
    { ...facts, trusted: true, hash },
    `${name} is now trusted with this content; after any change it has to be trusted again.`,
  );
}

function gatesText({ template, file }: FoundTemplate, gates: Gate[]): string {
  const lines = gates.flatMap(({ where, command }) => [
    `  ${escapeInvisible(where)}`,
    ...escapeInvisibleLines(command, '    '),
  ]);
  return [
    `${escapeInvisible(template.name)} (${escapeInvisible(file)}) runs these commands in the project root:`,
    ...lines,
  ].join('\n');
}

async function confirm(template: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new HoldfastError({ code: 'trust_unconfirmed', template, answered: false });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<string>((settle) => {
    // Ctrl-C and Ctrl-D close the terminal and count as no.
    terminal.once('close', () => settle(''));
    void terminal
      .question('Allow this template to run them? [y/N] ')
      .then(settle, () => settle(''));
  });
  terminal.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) {
    throw new HoldfastError({ code: 'trust_unconfirmed', template, answered: true });
  }
}
