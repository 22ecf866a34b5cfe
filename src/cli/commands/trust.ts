import { createInterface } from 'node:readline/promises';
import { HoldfastError } from '../../errors/holdfast-error.ts';
import { findTrustRequest, grantTrust, type TrustRequest } from '../../operations/trust.ts';
import { escapeInvisible, escapeInvisibleLines } from '../../util/escape-invisible.ts';
import type { CommandContext } from '../context.ts';
import { fitText } from '../output/layout.ts';
import { print } from '../output/output.ts';

/** Shows the commands of a template and, after the user confirms, lets this exact content run them. */
export async function trust(
  cli: CommandContext,
  given: string,
  options: { yes?: boolean },
): Promise<void> {
  const request = findTrustRequest(cli, given);
  const { template, file } = request.found;
  const facts = { template: template.name, file, gates: request.gates };
  const name = escapeInvisible(template.name);
  if (request.state === 'no_gates') {
    cli.output.result(
      { ...facts, trusted: false },
      `${name} has no gates, so it does not need to be trusted.`,
    );
    return;
  }
  if (request.state === 'trusted') {
    cli.output.result({ ...facts, trusted: true }, `${name} is already trusted with this content.`);
    return;
  }
  print(2, gatesText(request));
  if (options.yes !== true) await confirm(template.name);
  const { hash } = grantTrust(cli, request);
  cli.output.result(
    { ...facts, trusted: true, hash },
    fitText(
      `${name} is now trusted with this content; after any change it has to be trusted again.`,
      cli.output.columns,
    ),
  );
}

function gatesText({ found: { template, file }, gates }: TrustRequest): string {
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
