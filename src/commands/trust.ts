import { createInterface } from 'node:readline/promises';
import { HoldfastError } from '../text/holdfast-error.ts';
import { resolve } from 'node:path';
import { isInside } from '../files/environment.ts';
import type { OperationContext } from '../sessions/open-project.ts';
import type { FoundTemplate } from '../templates/find-template.ts';
import {
  hashOf,
  isTrusted,
  readTrust,
  requireOutsideProject,
  trust as trustTemplate,
  untrust as untrustTemplate,
  type TrustedTemplate,
} from '../templates/gates/trust.ts';
import { gatesOf } from '../templates/machine/gates.ts';
import { parseRun } from '../templates/run-view.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import {
  asWord,
  escapeInvisible,
  escapeInvisibleLines,
  quoted,
  sanitizeLine,
} from '../text/sanitize.ts';
import { command, requirePerson, type Shown } from './command.ts';
import { flag } from './options.ts';
import { print } from './view/output.ts';
import type { Template } from '../templates/template-types.generated.ts';

export const trust = command({
  usage: 'trust <template>',
  about: 'show the commands of a template and allow it to run them',
  examples: [
    'holdfast trust deploy',
    'holdfast trust .claude/holdfast/workflows/deploy.yaml --yes',
  ],
  agent: 'asked',
  options: { yes: flag('do not ask for confirmation') },
  run: async (context, { template: named, yes }) => {
    const { template, file, origin } = await findTemplateOrRun(context, named);
    const gates = gatesOf(template);
    const facts = { template: template.name, file, gates, trusted: gates.length > 0 };
    const shown = (done: string, more: object = {}): Shown => ({
      data: { ...facts, ...more },
      text: `${nameOf(template)} ${done}.`,
    });
    if (gates.length === 0) return shown('has no gates, so it does not need to be trusted');
    const typed = `\`holdfast trust ${shellQuote(named)}\` in a terminal of their own`;
    requirePerson(
      context,
      'trust',
      `trust ${quoted(template.name)}, which runs commands`,
      () => typed,
    );
    requireOutsideProject(context);
    warnOfTrustProblem(context);
    if (isTrusted(context, template)) return shown('is already trusted with this content');
    const commands = gates.flatMap((gate) => [
      `  ${escapeInvisible(gate.where)}`,
      ...escapeInvisibleLines(gate.command, '    '),
    ]);
    const lead = `${nameOf(template)} (${asWord(escapeInvisible(file))}) runs these commands in the project root:`;
    print(2, [lead, ...commands].join('\n'));
    if (!yes) await confirm(template.name);
    const place = origin === 'built-in' ? file : resolve(context.root, file);
    const { hash } = trustTemplate(context, template, place, context.now);
    return shown('is now trusted with this content; after any change it has to be trusted again', {
      hash,
    });
  },
});

const nameOf = ({ name }: Template): string => asWord(escapeInvisible(name), MAX_NAME);
const MAX_NAME = 200;

export const untrust = command({
  usage: 'untrust <template>',
  about: 'revoke the trust in a template',
  examples: ['holdfast untrust deploy'],
  agent: 'asked',
  run: async (context, { template }) => {
    const untrusted = await revokeTrust(context, template);
    const now =
      untrusted.length === 0
        ? 'is not trusted; nothing to revoke'
        : 'is no longer trusted; its gates will not run';
    return { data: { untrusted }, text: `${sanitizeLine(template)} ${now}.` };
  },
});

async function confirm(template: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new HoldfastError(
      'trust_unconfirmed',
      `${quoted(template)} was not trusted, as there is no terminal to ask on`,
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
    throw new HoldfastError('trust_unconfirmed', `${quoted(template)} was not trusted`, {
      hint: 'its gates will not run, and its runs stop before them',
    });
  }
}

/** Revokes trust, including for content that the template had before it was changed or deleted. */
async function revokeTrust(context: OperationContext, typed: string): Promise<TrustedTemplate[]> {
  const trusted = warnOfTrustProblem(context);
  const current = await currentHash(context, typed);
  const { isBuiltIn, isPath, stemOf } = await import('../templates/find-template.ts');
  const { root, cwd } = context;
  const isNamed = ({ name, file }: TrustedTemplate): boolean => {
    if (isPath(typed)) return file === resolve(cwd, typed) || file === resolve(root, typed);
    const isHere = isBuiltIn(file) || isInside(root, file);
    return isHere && [name, stemOf(file)].map(slugOf).includes(slugOf(typed));
  };
  const matches = (entry: TrustedTemplate): boolean => entry.hash === current || isNamed(entry);
  const revoked = untrustTemplate(context, context.now, matches);
  if (revoked.length === 0 && current === undefined) {
    const names = [...new Set(trusted.map(({ name }) => name))];
    throw new HoldfastError('never_trusted', `"${typed}" was never trusted`, {
      hint:
        names.length === 0
          ? 'no template is trusted'
          : `trusted: ${names.map((name) => asWord(name)).join(', ')}`,
    });
  }
  return revoked;
}

function warnOfTrustProblem(context: OperationContext): TrustedTemplate[] {
  const { problem, trusted } = readTrust(context);
  if (problem !== null) context.warn(problem);
  return trusted;
}

/** A run may hold a template that differs from the file it came from. */
async function findTemplateOrRun(context: OperationContext, typed: string): Promise<FoundTemplate> {
  const stored = context.store.list().runs.find((candidate) => candidate.runId === typed);
  const run = stored && parseRun(stored.state);
  if (stored !== undefined && run?.kind === 'template')
    return { template: run.template, file: stored.path, origin: 'path' };
  // It needs a YAML parser, which takes time to load.
  const { findTemplate } = await import('../templates/find-template.ts');
  return findTemplate(context.root, context.cwd, typed);
}

/** Undefined if the template is missing or broken; it can still be matched by name or path. */
async function currentHash(context: OperationContext, typed: string): Promise<string | undefined> {
  try {
    const { template } = await findTemplateOrRun(context, typed);
    return hashOf(template);
  } catch (error) {
    if (error instanceof HoldfastError) return undefined;
    throw error;
  }
}
