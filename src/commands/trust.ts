import { createInterface } from 'node:readline/promises';
import { HoldfastError } from '../text/holdfast-error.ts';
import type { TrustRequest } from './trust/trust-template.ts';
import { escapeInvisible, escapeInvisibleLines, sanitizeLine } from '../text/sanitize.ts';
import { command } from './command.ts';
import { flag } from './options.ts';
import { print } from './view/output.ts';

/** Lets this exact content run its commands, after the user has seen them and confirms. */
export const trust = command({
  usage: 'trust <template>',
  about: 'show the commands of a template and allow it to run them',
  examples: [
    'holdfast trust deploy',
    'holdfast trust .claude/holdfast/workflows/deploy.yaml --yes',
  ],
  agent: 'asked',
  options: { yes: flag('do not ask for confirmation') },
  run: async (context, { template, yes }) => {
    const { findTrustRequest, grantTrust } = await import('./trust/trust-template.ts');
    const request = findTrustRequest(context, template);
    if (request.state !== 'untrusted') return { request, hash: null };
    print(2, gatesText(request));
    if (!yes) await confirm(request.found.template.name);
    return { request, hash: grantTrust(context, request).hash };
  },
  show: (_cli, { request: { found, gates, state }, hash }) => {
    const { template, file } = found;
    const name = escapeInvisible(template.name);
    const facts = { template: template.name, file, gates, trusted: state !== 'no_gates' };
    if (hash !== null)
      return {
        data: { ...facts, hash },
        text: `${name} is now trusted with this content; after any change it has to be trusted again.`,
      };
    return {
      data: facts,
      text:
        state === 'no_gates'
          ? `${name} has no gates, so it does not need to be trusted.`
          : `${name} is already trusted with this content.`,
    };
  },
});

export const untrust = command({
  usage: 'untrust <template>',
  about: 'revoke the trust in a template',
  examples: ['holdfast untrust deploy'],
  agent: 'asked',
  run: async (context, { template }) => {
    const { revokeTrust } = await import('./trust/trust-template.ts');
    return revokeTrust(context, template);
  },
  show: (_cli, revoked, { template }) => ({
    data: { untrusted: revoked },
    text:
      revoked.length === 0
        ? `${sanitizeLine(template)} is not trusted; nothing to revoke.`
        : `${sanitizeLine(template)} is no longer trusted; its gates will not run.`,
  }),
});

function gatesText({ found: { template, file }, gates }: TrustRequest): string {
  const lines = gates.flatMap((gate) => [
    `  ${escapeInvisible(gate.where)}`,
    ...escapeInvisibleLines(gate.command, '    '),
  ]);
  return [
    `${escapeInvisible(template.name)} (${escapeInvisible(file)}) runs these commands in the project root:`,
    ...lines,
  ].join('\n');
}

async function confirm(template: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new HoldfastError(
      'trust_unconfirmed',
      `"${template}" was not trusted, as there is no terminal to ask on`,
      { hint: 'read the commands above, then run it again with --yes' },
    );
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
    throw new HoldfastError('trust_unconfirmed', `"${template}" was not trusted`, {
      hint: 'its gates will not run, and its runs stop before them',
    });
  }
}
